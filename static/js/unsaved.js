// A form whose text is lost when its page is left: the browser asks first, whatever leads away from it (a link, the
// palette, another text to start from, the browser's back).

const form = document.querySelector("form[data-unsaved]");
const typed = () => JSON.stringify([...new FormData(form)].map(([name, value]) => [name, String(value)]));
// What was refused or previewed is in the form again, and was not saved.
const saved = form && (form.dataset.unsaved ? "" : typed());
let sending = false;

form?.addEventListener("submit", () => {
  sending = true;
});
// Back from where it went: not saved from here on.
addEventListener("pageshow", () => {
  sending = false;
});
addEventListener("beforeunload", (event) => {
  if (!form || sending || typed() === saved) return;
  event.preventDefault();
});
