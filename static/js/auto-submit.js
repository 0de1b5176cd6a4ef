// Work that is done in steps, one request each: the form of the next one sends itself. Without this its button does.

document.querySelector("form[data-auto-submit]")?.requestSubmit();
