// Queues by keyboard, and the choice of many. Without this file every act is a button, a box or a link.

const KEYS_OFF = "loam-keys";
// The row that is in the front, by its place: after an act the one that moved up is in its place.
let place = 0;

const queue = () => document.querySelector("[data-triage], [data-choice]");
const rows = () => [...(queue()?.querySelectorAll("[data-row]") ?? [])];

function stored() {
  try {
    return localStorage.getItem(KEYS_OFF);
  } catch {
    return null;
  }
}

// Off for this browser here, or for the account in its settings.
const keysOn = () => stored() !== "off" && document.documentElement.dataset.keys !== "off";

function bringToFront(row, focus = true) {
  if (!row) return;
  for (const other of rows()) delete other.dataset.current;
  row.dataset.current = "";
  place = rows().indexOf(row);
  if (focus) {
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  }
}

function current() {
  const within = document.activeElement?.closest?.("[data-row]");
  return within || queue()?.querySelector("[data-row][data-current]");
}

function step(by) {
  const all = rows();
  if (!all.length) return;
  const at = all.indexOf(current());
  // The first of a queue is in front before anybody has pressed a key: the first key comes to it, not past it.
  if (at >= 0 && !all[at].contains(document.activeElement)) bringToFront(all[at]);
  else bringToFront(all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)]);
}

// --- choosing several ---
function picks() {
  return [...(queue()?.querySelectorAll("[data-pick]") ?? [])];
}

function showChoice() {
  const bar = document.querySelector("[data-bulk]");
  if (!bar) return;
  const chosen = picks().filter((box) => box.checked).length;
  const all = bar.querySelector("[data-pick-all]")?.checked;
  const words = all ? "All matching" : `${chosen} selected`;
  const count = bar.querySelector("[data-bulk-count]");
  bar.hidden = !chosen && !all;
  if (count.textContent !== words) count.textContent = words;
  for (const button of bar.querySelectorAll("[data-pick-page], [data-pick-none]")) button.hidden = false;
}

function pick(boxes, checked) {
  for (const box of boxes) box.checked = checked;
  const all = document.querySelector("[data-pick-all]");
  if (all && !checked) all.checked = false;
  showChoice();
}

// --- keys ---
function press(key) {
  const row = current() || rows()[0];
  const target = row?.querySelector(`[data-key="${key}"]`);
  if (!target) return false;
  bringToFront(row, false);
  target.click();
  return true;
}

function undo() {
  document.querySelector('#messages [data-key="u"]')?.click();
}

function help() {
  const dialog = document.getElementById("keys");
  if (!dialog) return;
  if (dialog.open) dialog.close();
  else dialog.showModal();
}

const ACTS = {
  j: () => step(1),
  k: () => step(-1),
  x: () => {
    const box = current()?.querySelector("[data-pick]");
    if (box) pick([box], !box.checked);
  },
  o: () => current()?.querySelector("h2 a, h3 a")?.click(),
  u: undo,
  "?": help,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable], dialog[open]")) {
    if (!(event.key === "?" && event.target.closest("dialog[open]"))) return;
  }
  if (!keysOn() || !queue()) return;
  if (ACTS[event.key]) {
    event.preventDefault();
    ACTS[event.key]();
  } else if ("pdmel".includes(event.key) && event.key.length === 1 && press(event.key)) {
    event.preventDefault();
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") event.target.closest("[data-inline]")?.querySelector("[data-inline-cancel]")?.click();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-keys-open]")) help();
  if (event.target.closest("[data-pick-page]")) pick(picks(), true);
  if (event.target.closest("[data-pick-none]")) pick(picks(), false);
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-pick], [data-pick-all]")) showChoice();
  if (event.target.matches("[data-keys-switch]")) {
    try {
      if (event.target.checked) localStorage.removeItem(KEYS_OFF);
      else localStorage.setItem(KEYS_OFF, "off");
    } catch {
      // storage refused: the keys stay as they were
    }
  }
});

document.addEventListener("focusin", (event) => {
  const row = event.target.closest?.("[data-row]");
  if (row && queue()?.contains(row)) bringToFront(row, false);
});

// --- what can be taken back is seen to go at once; if it could not be done, it is there again, and loam.js says so ---
document.addEventListener("htmx:beforeRequest", (event) => {
  const { elt, requestConfig } = event.detail;
  const row = elt.closest?.(".triage-acts")?.closest("[data-row]");
  if (row && requestConfig.verb === "post") row.dataset.going = "";
});
for (const ended of ["htmx:afterRequest", "htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
  document.addEventListener(ended, (event) => {
    if (event.detail.elt?.matches?.("[data-quiet]")) return;
    for (const row of document.querySelectorAll("[data-going]")) delete row.dataset.going;
  });
}

// --- act and next: what was acted on is gone, and the focus is on what took its place ---
document.addEventListener("htmx:afterSettle", (event) => {
  const settled = event.detail.elt;
  if (settled?.matches?.("[data-choice]")) showChoice();
  const field = settled?.querySelector?.("[data-inline] input:not([type=hidden])");
  if (field) field.focus();
  else if (settled?.matches?.("li[data-row]")) bringToFront(settled);
  if (!event.detail.target?.matches?.("[data-triage]") && !event.detail.elt?.matches?.("[data-triage]")) return;
  showChoice();
  const all = rows();
  const next = all[Math.min(place, all.length - 1)];
  if (next) bringToFront(next);
  else {
    const head = queue()?.querySelector("h2");
    if (head) {
      head.tabIndex = -1;
      head.focus();
    }
  }
});

const keysSwitch = document.querySelector("[data-keys-switch]");
if (keysSwitch) keysSwitch.checked = keysOn();
showChoice();
// The first of a queue is in front from the start, without taking the focus.
if (queue()?.matches("[data-triage]")) bringToFront(rows()[0], false);
if (location.hash.length > 1) bringToFront(rows().find((row) => row.id === decodeURIComponent(location.hash.slice(1))));
