// A list with the selected item beside it, by keyboard. Without this file every row is a link and every act a form.
import { DECIDING, help, keysOn, namesKeysBy, typing } from "./keys.js";
import { announce, remark } from "./loam.js";
import { VERBS, actByKey, actOn, offers, underWay, undo } from "./workspace/acts.js";
import { alreadyShown, close, emptyItem, isAwaited, isShown, itemArrived, open, showItem } from "./workspace/item.js";
import { openList } from "./workspace/list.js";
import { paneHidden, togglePane } from "./workspace/pane.js";
import {
  bringToFront,
  clearSelection,
  current,
  pick,
  picks,
  rows,
  selectRange,
  selected,
  showSelection,
  step,
  toggleSelection,
  workspace,
} from "./workspace/rows.js";

// The panel's own buttons, for what the row does not offer.
// Not of the item before, while the one of the row in front is on its way.
const inPanel = (key) => (isShown(current()) ? document.querySelector(`#item:not([aria-busy]) :is(a, button)[data-key="${key}"]`) : null);

function pressInPanel(key) {
  const target = inPanel(key);
  target?.click();
  return Boolean(target);
}

function compare() {
  const fold = document.querySelector("#item [data-compare]");
  if (!fold) return false;
  fold.open = !fold.open;
  if (fold.open) fold.scrollIntoView({ block: "nearest" });
  return true;
}

// In the row where it offers that, else on a page of its own.
function edit() {
  const inRow = current()?.querySelector('[data-key="e"]');
  if (inRow) inRow.click();
  else if (current()?.dataset.edit) go(current().dataset.edit);
  else pressInPanel("e");
}

// The rows that the open dialog is about.
let planned = [];

// Ask until when, or to whom, for the selected rows or the one in front.
function plan(verb, chosen = selected().length ? selected() : [current()].filter(Boolean)) {
  const dialog = document.getElementById(`plan-${verb}`);
  const some = chosen.filter((row) => offers(row, verb));
  if (!dialog || !some.length) return false;
  planned = some;
  dialog.querySelector("[data-plan-count]").textContent = some.length === 1 ? some[0].getAttribute("aria-label") : `${some.length} items`;
  dialog.showModal();
  dialog.querySelector("[data-plan-form] button[name]")?.focus();
  return true;
}

function go(address) {
  if (address) location.assign(address);
}

// What is typed while another list, or the item that a key is about, is on its way is meant for that; null while none is.
let typedAhead = null;

// What the row itself does not offer may be a button of its item.
function waitsForItem(key) {
  if (!["p", "d", "m", "e"].includes(key) || !isAwaited()) return false;
  if (key === "e") return !current()?.dataset.edit && !current()?.querySelector('[data-key="e"]');
  const chosen = selected().length ? selected() : [current()].filter(Boolean);
  return !chosen.some((row) => VERBS[key].some((verb) => offers(row, verb)));
}

// Not done where another row was brought to the front meanwhile: the keys were not meant for that.
async function pressOnItem(key) {
  const row = current();
  typedAhead = [key];
  await itemArrived(row);
  const keys = typedAhead;
  typedAhead = null;
  if (current()?.id === row.id) keys.forEach(press);
}

function press(key) {
  if (typedAhead) typedAhead.push(key);
  else if (waitsForItem(key)) pressOnItem(key);
  else if (!COMMANDS[key]() && DECIDING.includes(key)) remark(current() ? uselessKey(key) : `“${key}” does nothing: the list is empty. All keys: ?`);
}

function uselessKey(key) {
  const chosen = selected().length ? selected() : [current()];
  const can = (verbs) => chosen.some((row) => verbs.some((verb) => offers(row, verb)));
  const works = Object.keys(VERBS).filter((other) => other !== "s" && can(VERBS[other]));
  if (can(["snooze", "unsnooze"])) works.push("s");
  if (can(["assign"])) works.push("a");
  const items = chosen.length > 1 ? "these items" : "this item";
  return `“${key}” does nothing for ${items}. ${works.length ? `Keys that do: ${works.join(", ")}. ` : ""}All keys: ?`;
}

// The next queue in which something waits, or the one before. What was pressed before is done first: it may be what the
// other queue waits for, and the counts tell which that is. Where the queue cannot be had its keys are not done here.
async function switchQueue(by) {
  if (!document.querySelector(".workspace-tabs")) return;
  if (!queueFrom(by) && !underWay()) {
    remark("No other queue has items.");
    return;
  }
  typedAhead = [];
  const there = await openList(() => queueFrom(by)?.href);
  const keys = typedAhead;
  typedAhead = null;
  if (there) keys.forEach(press);
}

function queueFrom(by) {
  const tabs = [...document.querySelectorAll(".workspace-tabs .tab-link")];
  const here = tabs.findIndex((tab) => tab.hasAttribute("aria-current"));
  const order = by > 0 ? [...tabs.slice(here + 1), ...tabs.slice(0, here)] : [...tabs.slice(0, here).reverse(), ...tabs.slice(here + 1).reverse()];
  // Other drafts are a queue as any other, though its count is no alarm; what is snoozed waits by intent.
  return order.find((tab) => tab.querySelector(".tab-count") && !tab.href.endsWith("tab=snoozed"));
}

const COMMANDS = {
  j: () => step(1),
  k: () => step(-1),
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  x: toggleSelection,
  X: selectRange,
  "*": () => pick(picks(), true),
  Escape: () => (selected().length ? clearSelection() : close()),
  Enter: () => go(current()?.dataset.open),
  o: () => go(current()?.dataset.open),
  e: edit,
  p: () => actByKey("p") || pressInPanel("p"),
  d: () => actByKey("d") || pressInPanel("d"),
  l: () => actByKey("l"),
  m: () => actByKey("m") || compare(),
  // What is snoozed, in a list of others, says so in its panel.
  s: () => actByKey("s") || (!selected().length && pressInPanel("s")) || plan("snooze"),
  a: () => plan("assign"),
  u: () => undo(),
  h: togglePane,
  "[": () => switchQueue(-1),
  "]": () => switchQueue(1),
  "?": help,
};

// Whether a key does something on this page: to one of its rows, or in the panel.
const anyOffers = (verbs) => rows().some((row) => verbs.some((verb) => offers(row, verb)));
const USABLE = {
  j: () => rows().length > 1,
  x: () => picks().length,
  Enter: () => rows().some((row) => row.dataset.open),
  e: () => rows().some((row) => row.dataset.edit) || inPanel("e"),
  m: () => anyOffers(VERBS.m) || document.querySelector("#item [data-compare]"),
  s: () => anyOffers(["snooze", "unsnooze"]),
  a: () => anyOffers(["assign"]),
  u: () => true,
  h: () => document.getElementById("item")?.matches(".workspace-item"),
  "[": () => queueFrom(1),
};
namesKeysBy((key) => Boolean(USABLE[key]?.() ?? (anyOffers(VERBS[key] ?? []) || inPanel(key))));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (typing(event.target) && !(event.key === "?" && event.target.closest("#keys[open]"))) return;
  // A link, a button or a fold that has the focus keeps its own keys.
  const own = event.target.closest("a, button, summary");
  if (own && (event.key === "Enter" || event.key === " ")) return;
  if (event.key.startsWith("Arrow") && !event.target.closest("[data-row]")) return;
  if (!keysOn() || !workspace() || !COMMANDS[event.key]) return;
  event.preventDefault();
  press(event.key);
});

// --- editing in a row ---
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") event.target.closest("[data-inline]")?.querySelector("[data-inline-cancel]")?.click();
});
document.addEventListener("htmx:afterSettle", (event) => {
  const settled = event.detail.elt;
  const field = settled?.querySelector?.("[data-inline] input:not([type=hidden])");
  if (field) field.focus();
  else if (settled?.matches?.("li[data-row]")) bringToFront(settled);
  else if (settled?.matches?.("[data-workspace]")) {
    // Another list, with the item of its first row beside it.
    alreadyShown(current());
    showSelection();
  }
});

// --- the pointer ---
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-pick-page]")) pick(picks(), true);
  if (event.target.closest("[data-pick-none]")) clearSelection();
  const pairAct = event.target.closest("[data-pair-act]")?.dataset.pairAct;
  const editAct = event.target.closest("[data-edit-act]")?.dataset.editAct;
  if (editAct) actOn(editAct, selected().filter((row) => offers(row, editAct)));
  if (pairAct) actOn(pairAct, selected().filter((row) => row.dataset.settle && offers(row, pairAct)));
  const asks = event.target.closest("#item [data-plan-open]");
  if (asks && plan(asks.dataset.planOpen, [rowOf(asks.closest("[data-item-of]"))].filter(Boolean))) event.preventDefault();
  const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
  const link = event.target.closest("[data-item-link]");
  if (link && plain) {
    event.preventDefault();
    const row = link.closest("[data-row]");
    bringToFront(row);
    // Without its place beside the list an item is read on its page.
    if (paneHidden() && row.dataset.open) {
      go(row.dataset.open);
      return;
    }
    if (paneHidden()) togglePane();
    open();
    scrollTo({ top: 0 });
  }
  if (event.target.closest("[data-item-close]") && plain) {
    event.preventDefault();
    close();
    current()?.scrollIntoView({ block: "center" });
  }
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-pick], [data-pick-all]")) showSelection();
});

// The row of the item that the panel shows. A pair and a suggested edit may have the same number.
function rowOf(panel) {
  const same = (row) => "settle" in row.dataset === "ofPair" in panel.dataset && "decide" in row.dataset === "ofEdit" in panel.dataset;
  return panel && rows().find((row) => row.dataset.ref === panel.dataset.itemOf && same(row));
}

function sent(form, submitter) {
  const data = new FormData(form, submitter);
  return [...data].filter(([name]) => !["csrfmiddlewaretoken", "back", "next", "ref", "seen", "verb", "how"].includes(name));
}

// The panel's forms and the bar of the selection act as the keys do; what must be confirmed goes its own way.
document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  const of = form.closest("[data-item-of]");
  if (form.matches("[data-act-form], [data-settle-form]") && of && submitter) {
    const row = rowOf(of);
    if (!row || (form.matches("[data-settle-form]") && !row.dataset.settle)) return;
    event.preventDefault();
    // The panel may be newer than the row: what was decided is decided on what it shows.
    const seen = new FormData(form).get("seen");
    if (seen) row.dataset.seen = form.matches("[data-act-form]") ? seen.split(" ").at(-1) : seen;
    actOn(submitter.value, [row], sent(form, submitter));
    close();
  }
  // What is typed is the reason, or what should change; a comment goes its own way.
  const decision = submitter?.dataset.decision;
  const decided = form.matches("[data-decide-form]") && decision && rowOf(of);
  if (decided && offers(decided, decision)) {
    event.preventDefault();
    const text = form.elements.text;
    if (decision === "request-changes" && !text.value.trim()) {
      remark("Say what should change.");
      text.focus();
      return;
    }
    decided.dataset.seen = new FormData(form).get("seen");
    actOn(decision, [decided], sent(form, submitter));
    close();
  }
  if (form.matches("[data-plan-form]")) {
    const dialog = form.closest("dialog");
    const going = dialog ? planned : [rowOf(of)].filter(Boolean);
    if (!going.length) return;
    event.preventDefault();
    dialog?.close();
    actOn(form.dataset.planForm, going, sent(form, submitter));
    if (!dialog) close();
  }
  if (form.matches("[data-bulk]") && submitter?.dataset.plan) {
    if (form.querySelector("[data-pick-all]")?.checked || !selected().length) return;
    event.preventDefault();
    if (submitter.dataset.plan === "unsnooze") actOn("unsnooze", selected());
    else plan(submitter.dataset.plan);
  }
  if (form.matches("[data-bulk]") && submitter?.name === "verb" && !["forget", "allow", "release"].includes(submitter.value)) {
    const chosen = selected();
    if (form.querySelector("[data-pick-all]")?.checked || !chosen.length) return;
    event.preventDefault();
    actOn(submitter.value, chosen);
  }
  if (form.matches("[data-undo-form]") && workspace()) {
    event.preventDefault();
    undo([["action", new FormData(form).get("action")]]);
  }
});

document.addEventListener("workspace:current", (event) => showItem(event.detail.row));
document.addEventListener("workspace:empty", () => {
  emptyItem();
  announce("Queue empty");
});

showSelection();
alreadyShown(current());
const named = location.hash.length > 1 && rows().find((row) => row.id === decodeURIComponent(location.hash.slice(1)));
if (named) bringToFront(named);
// What was typed before this script was there: all of it, or none where the first was typed too long ago. Without that
// key, the next would act on what that was meant for.
const FRESH = 3000; // milliseconds
const early = window.loamTypedAhead?.splice(0) ?? [];
delete window.loamTypedAhead;
if (keysOn() && workspace() && early[0]?.at > Date.now() - FRESH) {
  for (const { key } of early) if (COMMANDS[key]) press(key);
}
