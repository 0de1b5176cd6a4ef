// The keys of every page: the list of shortcuts, which names those that act on this page, and the rows and buttons of
// pages without a list that has its item beside it (workspace.js has the keys of those).
import { remark } from "./loam.js";

const KEYS_OFF = "loam-keys";
// Keys that decide something: where one has nothing to do, that is said.
export const DECIDING = ["p", "d", "l", "m", "s", "a"];

function stored() {
  try {
    return localStorage.getItem(KEYS_OFF);
  } catch {
    return null;
  }
}

// Off for this browser here, or for the account in its settings.
export const keysOn = () => stored() !== "off" && document.documentElement.dataset.keys !== "off";

export function typing(target) {
  return target.closest("input:not([type=checkbox]), textarea, select, [contenteditable], dialog[open]");
}

// --- buttons and links of the page that name their key ---
const shown = (part) => part.checkVisibility();
const buttons = () => [...document.querySelectorAll("#main [data-key]")].filter(shown);
const buttonOf = (key) => buttons().find((button) => button.dataset.key === key);

// The words of a button without its key and without what only screen readers are told.
function wordsOf(button) {
  const copy = button.cloneNode(true);
  copy.querySelectorAll("kbd, .sr-only, svg").forEach((part) => part.remove());
  const words = copy.textContent.trim().replace(/\s+/g, " ");
  return `${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}

// A fold that asks something is opened at its first answer.
function use(button) {
  if (button.matches("summary")) {
    button.parentElement.open = true;
    button.parentElement.querySelector("button, a[href], input:not([type=hidden]), select")?.focus();
  } else button.click();
}

// --- rows of a list ---
const rows = () => [...document.querySelectorAll("[data-key-rows] > *")].filter((row) => row.querySelector("a[href]") && shown(row));
const current = () => rows().find((row) => "current" in row.dataset);

function step(by) {
  const all = rows();
  const next = all[Math.min(Math.max(all.indexOf(current()) + by, 0), all.length - 1)];
  if (!next) return;
  for (const row of all) delete row.dataset.current;
  next.dataset.current = "";
  next.tabIndex = -1;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

// --- the list of shortcuts ---
const onPage = {
  j: () => rows().length > 1,
  Enter: () => rows().length > 0,
  e: () => rows().some((row) => row.dataset.edit),
};
let usable = (key) => Boolean(onPage[key]?.());
const everywhere = { "/": () => document.querySelector("[data-search]"), "Control+k": () => document.getElementById("palette"), "?": () => true };

// What a page with a list and its item beside it says of its own keys.
export function namesKeysBy(acts) {
  usable = acts;
}

function listButtons(dialog) {
  const place = dialog.querySelector("[data-help-buttons]");
  const named = new Map(buttons().map((button) => [button.dataset.key, wordsOf(button)]));
  place?.replaceChildren(
    ...[...named].map(([key, words]) => {
      const row = document.createElement("div");
      const term = document.createElement("dt");
      term.append(Object.assign(document.createElement("kbd"), { className: "kbd kbd-sm", textContent: key }));
      row.append(term, Object.assign(document.createElement("dd"), { textContent: words }));
      return row;
    }),
  );
}

export function help() {
  const dialog = document.getElementById("keys");
  if (!dialog) return;
  if (dialog.open) {
    dialog.close();
    return;
  }
  for (const row of dialog.querySelectorAll("[data-help]")) {
    row.hidden = !row.dataset.help.split(" ").some((key) => (everywhere[key] ?? usable)(key));
  }
  listButtons(dialog);
  dialog.showModal();
}

// --- pressing ---
function press(key) {
  if (key === "?") help();
  else if (key === "j" || key === "ArrowDown") step(1);
  else if (key === "k" || key === "ArrowUp") step(-1);
  else if (key === "Enter" || key === "o") current()?.querySelector("a[href]").click();
  else if (key === "e" && current()?.dataset.edit) location.assign(current().dataset.edit);
  else if (buttonOf(key)) use(buttonOf(key));
  else if (DECIDING.includes(key) && DECIDING.some(buttonOf)) {
    const others = [...new Set(buttons().map((button) => button.dataset.key))].join(", ");
    remark(`“${key}” does nothing here. Keys that do: ${others}. All keys: ?`);
  } else if (key === "u") remark("Nothing to undo on this page. What you did last is under Recent actions.");
  else return false;
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (!keysOn() || document.querySelector("[data-workspace]")) return;
  if (typing(event.target) && !(event.key === "?" && event.target.closest("#keys[open]"))) return;
  if (event.target.closest("a, button, summary, [role=slider]") && (event.key === "Enter" || event.key === " ")) return;
  if (event.key.startsWith("Arrow") && !event.target.closest("[data-key-rows] > *")) return;
  if (press(event.key)) event.preventDefault();
});

// Out of a comment that is being written, which stays as it is: the keys act on the list, or the page, again.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.isComposing || !event.target.matches("[data-decide-form] textarea")) return;
  event.target.blur();
  document.querySelector("[data-workspace] [data-row][data-current]")?.focus({ preventScroll: true });
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-keys-open]")) help();
});
document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-keys-switch]")) return;
  try {
    if (event.target.checked) localStorage.removeItem(KEYS_OFF);
    else localStorage.setItem(KEYS_OFF, "off");
  } catch {
    // storage refused: the keys stay as they were
  }
});
const keysSwitch = document.querySelector("[data-keys-switch]");
if (keysSwitch) keysSwitch.checked = keysOn();
