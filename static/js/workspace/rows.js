// The rows of a list: which one is in front, which are selected. A row that an act has taken away is hidden until the
// answer is there, and is no row meanwhile.

export const workspace = () => document.querySelector("[data-workspace]");
export const rows = () => [...(workspace()?.querySelectorAll("[data-row]:not([hidden])") ?? [])];

export function current() {
  const all = rows();
  return all.find((row) => "current" in row.dataset) ?? null;
}

export function bringToFront(row, focus = true) {
  if (!row) return;
  for (const other of workspace().querySelectorAll("[data-row][data-current]")) delete other.dataset.current;
  row.dataset.current = "";
  if (focus) {
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  }
  document.dispatchEvent(new CustomEvent("workspace:current", { detail: { row } }));
}

export function step(by) {
  const all = rows();
  const at = all.indexOf(current());
  bringToFront(all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)]);
}

// What comes to the front when these go: the next row that stays, or the last one.
export function successorOf(going) {
  const all = rows();
  const last = Math.max(...going.map((row) => all.indexOf(row)));
  const stays = (row) => !going.includes(row);
  return all.slice(last + 1).find(stays) ?? all.slice(0, last + 1).filter(stays).at(-1) ?? null;
}

// --- what was not done: why stands on the row, until something else is done to it ---
const refusals = new Map();

function showRefusal(row) {
  row.querySelector("[data-refusal]")?.remove();
  const why = refusals.get(row.id);
  if (!why) {
    row.removeAttribute("aria-describedby");
    return;
  }
  const words = Object.assign(document.createElement("p"), { className: "row-refusal", id: `refusal-${row.id}`, textContent: `Not done: ${why}` });
  words.dataset.refusal = "";
  (row.querySelector(".col-title") ?? row).append(words);
  row.setAttribute("aria-describedby", words.id);
}

export function refuse(row, why) {
  refusals.set(row.id, why);
  showRefusal(row);
}

export function accept(row) {
  refusals.delete(row.id);
  showRefusal(row);
}

// On the rows of a list that came again.
export const showRefusals = () => rows().forEach((row) => refusals.has(row.id) && showRefusal(row));

// --- selecting ---
export const picks = () => rows().flatMap((row) => [...row.querySelectorAll("[data-pick]")]);
export const selected = () => rows().filter((row) => row.querySelector("[data-pick]")?.checked);
let anchor = null;

export function showSelection() {
  const bar = document.querySelector("[data-bulk]");
  if (!bar) return;
  const chosen = selected().length;
  const all = bar.querySelector("[data-pick-all]")?.checked;
  const words = all ? "All matching" : `${chosen} selected`;
  const count = bar.querySelector("[data-bulk-count]");
  bar.hidden = !chosen && !all;
  if (count.textContent !== words) count.textContent = words;
  for (const button of bar.querySelectorAll("[data-scripted]")) button.hidden = false;
}

export function pick(boxes, checked) {
  for (const box of boxes) box.checked = checked;
  const all = document.querySelector("[data-pick-all]");
  if (all && !checked) all.checked = false;
  showSelection();
}

export function toggleSelection() {
  const box = current()?.querySelector("[data-pick]");
  if (!box) return;
  anchor = current();
  pick([box], !box.checked);
}

// From the row that was selected last to this one.
export function selectRange() {
  const all = rows();
  const [from, to] = [all.indexOf(anchor), all.indexOf(current())].sort((one, two) => one - two);
  if (to < 0) return;
  const boxes = all.slice(Math.max(from, 0), to + 1).map((row) => row.querySelector("[data-pick]"));
  pick(boxes.filter(Boolean), true);
  anchor = current();
}

export function clearSelection() {
  pick(picks(), false);
}
