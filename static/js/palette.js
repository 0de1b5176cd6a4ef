// Ctrl-K or Cmd-K: go to anything by a few letters, or act on what is selected. Without a script the same is a page of its own, /go/.
const dialog = document.getElementById("palette");
const input = document.getElementById("palette-q");
const recent = document.getElementById("palette-recent");

// --- where one was last, in this browser alone: insights, skills, topics and sessions, by what their pages are called ---
const RECENT = "loam-recent";
const KEPT = 5;
const THINGS = /^\/(insights|skills|topics|sessions)\/[^/]+\/([^/]+\/)?$/;
const NONE_OF_THEM = /\/(new|import|surfaced)\/$/;

function recents() {
  try {
    const found = JSON.parse(sessionStorage.getItem(RECENT) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return []; // storage refused, or something else wrote there
  }
}

function rememberThis() {
  const title = document.querySelector("main h1")?.textContent.trim().slice(0, 120);
  if (!title || !THINGS.test(location.pathname) || NONE_OF_THEM.test(location.pathname)) return;
  const others = recents().filter(([path]) => path !== location.pathname);
  try {
    sessionStorage.setItem(RECENT, JSON.stringify([[location.pathname, title], ...others].slice(0, KEPT)));
  } catch {
    // storage refused: there are no recents
  }
}

function showRecents() {
  const found = input.value ? [] : recents().filter(([path]) => path !== location.pathname);
  recent.hidden = !found.length;
  recent.classList.toggle("hidden", !found.length);
  recent.querySelector("[data-recent]").replaceChildren(
    ...found.map(([path, title]) => {
      const link = Object.assign(document.createElement("a"), { href: path, className: "drop-item" });
      const words = Object.assign(document.createElement("span"), { className: "min-w-0 truncate", textContent: title });
      link.append(words);
      const row = document.createElement("li");
      row.append(link);
      return row;
    }),
  );
}

// --- what may be done to the selection, or to the item beside the list: the buttons that are there for it ---
const acts = document.getElementById("palette-acts");
const OF_SELECTION = "#bulk button[type=submit], #bulk :is([data-pair-act], [data-edit-act])";
const OF_PAGE = "#main [data-key]";
const OF_ITEM = "#item :is(.item-acts, .item-bar, .triage-pair, .proposal-acts) :is(button, a[data-key]), #item .item-plan > details > summary";

function actButtons() {
  const chosen = document.querySelectorAll("[data-pick]:checked").length;
  const item = document.querySelector("#item [data-item-of]");
  const ofOne = document.querySelector("[data-workspace]") ? OF_ITEM : OF_PAGE;
  const buttons = [...document.querySelectorAll(chosen ? OF_SELECTION : ofOne)].filter(
    (button) => button.checkVisibility() && !button.closest(".drop-panel"),
  );
  return { of: chosen ? `${chosen} selected` : (item?.getAttribute("aria-label") ?? document.querySelector("main h1")?.textContent.trim() ?? ""), buttons };
}

// The words of a button without its key and what only screen readers are told.
function wordsOf(button) {
  const copy = button.cloneNode(true);
  copy.querySelectorAll("kbd, .sr-only, svg").forEach((part) => part.remove());
  return { name: copy.textContent.trim(), key: button.querySelector("kbd")?.textContent ?? "" };
}

function showActs() {
  const typed = input.value.trim().toLowerCase();
  const { of, buttons } = typed ? actButtons() : { of: "", buttons: [] };
  const found = buttons.map((button) => ({ button, ...wordsOf(button) })).filter(({ name }) => ` ${name}`.toLowerCase().includes(` ${typed}`));
  acts.hidden = !found.length;
  acts.classList.toggle("hidden", !found.length);
  acts.querySelector("p").textContent = of;
  acts.querySelector("[data-acts-found]").replaceChildren(
    ...found.map(({ button, name, key }) => {
      const link = Object.assign(document.createElement("a"), { href: "#item", className: "drop-item" });
      link.append(Object.assign(document.createElement("span"), { className: "min-w-0 grow", textContent: name }));
      if (key) link.append(Object.assign(document.createElement("kbd"), { className: "kbd kbd-sm", textContent: key }));
      link.addEventListener("click", (event) => {
        event.preventDefault();
        dialog.close();
        button.click();
      });
      const row = document.createElement("li");
      row.append(link);
      return row;
    }),
  );
}

function links() {
  return [...dialog.querySelectorAll("[data-go] a")].filter((link) => link.checkVisibility());
}

function open() {
  dialog.showModal();
  input.select();
  showRecents();
  showActs();
  input.dispatchEvent(new Event("palette"));
}

if (dialog) rememberThis();
input?.addEventListener("input", showRecents);
input?.addEventListener("input", showActs);
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
