// What a page can do better with a script. Nothing here is needed: every action is a link or a form.

const root = document.documentElement;
const night = matchMedia("(prefers-color-scheme: dark)");

export function announce(words) {
  const region = document.getElementById("live");
  if (!region || !words) return;
  region.textContent = "";
  requestAnimationFrame(() => {
    region.textContent = words;
  });
}

// --- theme: the other one, remembered only while it differs from the account's, or the system's ---
function usualTheme() {
  return root.dataset.accountTheme || (night.matches ? "loam-night" : "loam");
}

function shownTheme() {
  return root.dataset.theme || (night.matches ? "loam-night" : "loam");
}

function labelThemeButtons() {
  const next = shownTheme() === "loam" ? "dark" : "light";
  for (const button of document.querySelectorAll("[data-theme-toggle]")) {
    button.hidden = false;
    button.setAttribute("aria-label", `Switch to the ${next} theme`);
    button.title = `Switch to the ${next} theme`;
  }
}

function switchTheme() {
  const next = shownTheme() === "loam" ? "loam-night" : "loam";
  root.dataset.theme = next;
  try {
    if (next === usualTheme()) localStorage.removeItem("loam-theme");
    else localStorage.setItem("loam-theme", next);
  } catch {
    // storage refused: the choice lasts as long as the page
  }
  labelThemeButtons();
}

// --- copying: the words of the element named by data-copy ---
async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  const label = button.querySelector("[data-copy-label]") || button;
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    label.textContent = "Copied";
    announce("Copied");
  } catch {
    const range = document.createRange();
    range.selectNodeContents(source);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    label.textContent = "Press Ctrl+C";
  }
  setTimeout(() => {
    label.textContent = "Copy";
  }, 2000);
}

// --- settings: what was chosen for this browser alone gives way to what is chosen for the account ---
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-settings]")) return;
  try {
    localStorage.removeItem("loam-theme");
  } catch {
    // storage refused: there is nothing to take back
  }
});

// --- an address names what it narrows to, and no field that is empty ---
document.addEventListener("formdata", ({ target: form, formData }) => {
  if (form.method !== "get") return;
  for (const [name, value] of [...formData]) if (value === "") formData.delete(name);
});

// --- what takes seconds says that it is under way, and is not sent twice ---
document.addEventListener("submit", ({ target: form, submitter }) => {
  if (!form.matches("[data-busy]") || !submitter) return;
  // After it is sent: a disabled button sends no name.
  setTimeout(() => {
    submitter.dataset.words = submitter.textContent;
    submitter.textContent = form.dataset.busy;
    submitter.disabled = true;
    announce(form.dataset.busy);
  });
});
// Back from where it went: as it was.
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("[data-busy] button[data-words]")) {
    button.textContent = button.dataset.words;
    button.disabled = false;
    delete button.dataset.words;
  }
});

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.drop[open]")) {
    if (menu !== except && !menu.contains(except)) menu.open = false;
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  closeMenus(event.target);
  if (!button) return;
  if (button.matches("[data-theme-toggle]")) switchTheme();
  if (button.matches("[data-copy]")) copy(button);
  if (button.matches("[data-dismiss]")) {
    button.closest("[data-note]").remove();
    document.getElementById("main").focus();
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const open = document.querySelector("details.drop[open]");
    if (open) {
      open.open = false;
      open.querySelector("summary").focus();
    }
  }
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  const keys = root.dataset.keys !== "off";
  if (event.key === "/" && keys && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const search = document.querySelector("[data-search]");
    if (search) {
      event.preventDefault();
      search.focus();
      search.select();
    }
  }
});

function showScripted(within) {
  for (const part of within.querySelectorAll("[data-scripted]")) part.hidden = false;
}

// --- filters: folded away on a phone; the ones that are set stand above the results all the same ---
const wide = matchMedia("(width >= 40rem)");

// Above a table with its item beside it there is one line for all there is to do on a laptop: the filters open below theirs.
const laptop = matchMedia("(64rem <= width < 96rem)");

function foldFilters() {
  for (const fold of document.querySelectorAll("[data-fold]")) {
    const drops = laptop.matches && fold.dataset.fold === "drop";
    fold.classList.toggle("drop", drops);
    fold.open = wide.matches && !drops;
    fold.dataset.folded = "";
  }
}

export function announceNotes() {
  announce([...document.querySelectorAll("[data-note] [data-words]")].map((note) => note.textContent.trim()).join(" "));
}

// --- tabs: on a phone the one that is open is scrolled to ---
function showTab() {
  for (const bar of document.querySelectorAll(".tab-bar")) {
    const open = bar.querySelector("[aria-current]");
    if (open) bar.scrollLeft = open.offsetLeft - bar.offsetLeft - (bar.clientWidth - open.offsetWidth) / 2;
  }
}

night.addEventListener("change", labelThemeButtons);
labelThemeButtons();
for (const size of [wide, laptop]) size.addEventListener("change", foldFilters);
foldFilters();
showTab();
showScripted(document);
announceNotes();

// --- how much waits in the inbox: asked for at first, once a minute while somebody can see it, and after each act ---
const COUNT_EVERY = 60_000;
let counted = 0;

function askForCounts() {
  const asker = document.querySelector("[data-counts]");
  if (!asker || document.hidden || !window.htmx) return;
  counted = Date.now();
  window.htmx.trigger(asker, "counts");
}

setInterval(askForCounts, COUNT_EVERY);
document.addEventListener("visibilitychange", () => {
  if (Date.now() - counted >= COUNT_EVERY) askForCounts();
});
if (document.readyState === "complete") askForCounts();
else addEventListener("load", askForCounts);
// An act that was answered with the queues has told the counts with them.
document.addEventListener("htmx:afterRequest", (event) => {
  const { requestConfig, successful, target } = event.detail;
  if (successful && requestConfig.verb === "post" && target?.id !== "inbox-queue") askForCounts();
});
// What has not changed is left alone, and the first is not read out: only what changes while one is there.
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const live = event.detail.target;
  if (!live.matches("[data-live]")) return;
  if (event.detail.fragment.textContent.trim() === live.textContent.trim()) event.detail.shouldSwap = false;
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (!event.detail.elt.matches("[data-counts]")) return;
  setTimeout(() => {
    for (const live of document.querySelectorAll("[data-live]")) live.setAttribute("aria-live", "polite");
  }, 100);
});

// --- what watches for something (a first call, how far a piece of work is): looks again every few seconds while somebody
// can see it, and at once when they are back ---
const LOOK_EVERY = 3_000;

function lookAgain() {
  if (document.hidden || !window.htmx) return;
  for (const watcher of document.querySelectorAll("[data-looks]")) window.htmx.trigger(watcher, "look");
}

setInterval(lookAgain, LOOK_EVERY);
document.addEventListener("visibilitychange", lookAgain);

// What could not be done stays said until it is dismissed: to the eye as to the ear.
export function complain(words) {
  show(words, "note note-error mb-4", "alert");
}

// What somebody should know who did nothing wrong.
export function remark(words) {
  show(words, "note mb-4", "status");
}

function show(words, className, role) {
  const note = Object.assign(document.createElement("div"), { className, role });
  const text = Object.assign(document.createElement("p"), { className: "wrap-words min-w-0 grow", textContent: words });
  const close = Object.assign(document.createElement("button"), { type: "button", className: "btn btn-ghost btn-sm" });
  close.textContent = "Dismiss";
  for (const [part, name] of [[note, "note"], [text, "words"], [close, "dismiss"]]) part.dataset[name] = "";
  note.append(text, close);
  document.getElementById("messages")?.replaceChildren(note);
}

// --- HTMX: say what came, and say when nothing could come ---
// What is waited for is busy until the answer has come, wherever that answer is put.
const waiting = new WeakMap();
document.addEventListener("htmx:beforeRequest", (event) => {
  const { target, xhr } = event.detail;
  waiting.set(xhr, target);
  target?.setAttribute("aria-busy", "true");
});
document.addEventListener("htmx:afterRequest", (event) => {
  waiting.get(event.detail.xhr)?.removeAttribute("aria-busy");
});
document.addEventListener("htmx:afterSettle", (event) => {
  const part = event.detail.elt;
  showScripted(part);
  const said = part.querySelector?.("[data-announce]") || (part.matches?.("[data-announce]") ? part : null);
  if (said) announce(said.dataset.announce);
  if (part.querySelector?.("[data-fold]")) foldFilters();
  if (part.querySelector?.(".tab-bar")) showTab();
  if (document.querySelector("[data-note]") && said) announceNotes();
});
// What was refused, or was changed meanwhile, is an answer of its own, and shown where it belongs.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.getResponseHeader("HX-Retarget") || event.detail.xhr.status === 412) {
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  }
});
for (const failure of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
  document.addEventListener(failure, (event) => {
    event.detail.target?.removeAttribute("aria-busy");
    if (event.detail.elt?.matches?.("[data-quiet]")) return;
    complain("Request failed. Try again or reload the page.");
  });
}
