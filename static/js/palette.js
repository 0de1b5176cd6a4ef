// Ctrl-K or Cmd-K: go to anything by a few letters. Without a script the same is a page of its own, /go/.
const dialog = document.getElementById("palette");
const input = document.getElementById("palette-q");

function links() {
  return [...dialog.querySelectorAll("[data-go] a")];
}

function open() {
  dialog.showModal();
  input.select();
  input.dispatchEvent(new Event("palette"));
}

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
    event.preventDefault();
    if (dialog?.open) dialog.close();
    else if (dialog) open();
  }
});

dialog?.addEventListener("keydown", (event) => {
  const found = links();
  const here = found.indexOf(document.activeElement);
  if (event.key === "ArrowDown" && found.length) {
    event.preventDefault();
    found[Math.min(here + 1, found.length - 1)].focus();
  } else if (event.key === "ArrowUp" && found.length) {
    event.preventDefault();
    if (here <= 0) input.focus();
    else found[here - 1].focus();
  } else if (event.key === "Enter" && document.activeElement === input && found.length) {
    event.preventDefault();
    found[0].click();
  }
});
