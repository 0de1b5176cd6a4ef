// Files of the repository, suggested for the line that is typed. Without this file they are typed in full.
const WAIT = 150; // milliseconds after the last letter
const LEAST = 2;
const form = document.querySelector("form[data-files-url]");
const field = form?.elements.files;
const list = document.createElement("ul");
let timer = 0;
let asked = "";
let chosen = -1;

// The line of the field that the cursor is on: [its beginning, its end, its text up to the cursor].
function line() {
  const { value, selectionStart: at } = field;
  const from = value.lastIndexOf("\n", at - 1) + 1;
  const to = value.indexOf("\n", at);
  return [from, to < 0 ? value.length : to, value.slice(from, at).trim()];
}

function hide() {
  list.hidden = true;
  list.replaceChildren();
  chosen = -1;
  field.removeAttribute("aria-activedescendant");
}

function choose(place) {
  const options = [...list.children];
  chosen = (place + options.length) % options.length;
  options.forEach((option, at) => option.setAttribute("aria-selected", String(at === chosen)));
  field.setAttribute("aria-activedescendant", options[chosen].id);
}

function take(path) {
  const [from, to] = line();
  field.setRangeText(path, from, to, "end");
  hide();
  field.dispatchEvent(new Event("input", { bubbles: true }));
  clearTimeout(timer);
  field.focus();
}

function show(files) {
  hide();
  list.append(
    ...files.map((path, at) => {
      const option = Object.assign(document.createElement("li"), { id: `file-${at}`, textContent: path, className: "suggestion" });
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      return option;
    }),
  );
  list.hidden = !files.length;
}

async function ask() {
  const [, , typed] = line();
  asked = typed;
  if (typed.length < LEAST) {
    hide();
    return;
  }
  const query = new URLSearchParams({ q: typed, repo: form.elements.repo?.value ?? "" });
  try {
    const answer = await fetch(`${form.dataset.filesUrl}?${query}`, { headers: { Accept: "application/json" } });
    if (!answer.ok || answer.redirected || asked !== typed || document.activeElement !== field) return;
    const { files } = await answer.json();
    show(files.filter((path) => path !== typed));
  } catch {
    hide();
  }
}

if (field) {
  list.id = "file-suggestions";
  list.className = "suggestions";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Files of the repository");
  list.hidden = true;
  field.after(list);
  for (const [name, value] of [["aria-autocomplete", "list"], ["aria-controls", list.id], ["autocomplete", "off"]]) field.setAttribute(name, value);
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT);
  });
  field.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen < 0 ? -1 : chosen - 1);
    else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) take(list.children[chosen].textContent);
    else if (event.key === "Escape") hide();
    else return;
    event.preventDefault();
  });
  // Before the field loses the focus to it.
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const option = event.target.closest("[role=option]");
    if (option) take(option.textContent);
  });
  field.addEventListener("blur", hide);
}
