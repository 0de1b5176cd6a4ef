// What a key or a button does to the selected rows, or to the one in front: at once on the screen, then on the server.
import { enqueue, pending } from "./queue.js";
import { alreadyShown, forget } from "./item.js";
import {
  accept,
  bringToFront,
  clearSelection,
  current,
  refuse,
  rows,
  selected,
  showSelection,
  successorOf,
  workspace,
} from "./rows.js";

// What a key means, by what a row offers: the first of these.
export const VERBS = {
  p: ["promote", "validate", "helpful", "release", "keep", "approve"],
  d: ["deprecate", "dismiss", "reject"],
  l: ["leave", "dismiss"],
  m: ["merge"],
  s: ["unsnooze"],
};

// What is the same for insights, pairs and suggested edits, with the address each is sent to.
const PLANS = { snooze: "snoozeUrl", unsnooze: "unsnoozeUrl", assign: "assignUrl" };

export const offers = (row, verb) => (row.dataset.acts ?? "").split(/\s+/).includes(verb);
// In a queue what was decided is gone; in a list it stays, and is shown as it is then.
const isQueue = () => workspace().dataset.workspace === "queue";

function take(going) {
  const inFront = going.includes(current());
  const next = inFront ? successorOf(going) : null;
  for (const row of going) {
    accept(row);
    row.dataset.going = "";
    if (isQueue()) row.hidden = true;
  }
  if (isQueue() && next) bringToFront(next);
  if (isQueue() && !rows().length) document.dispatchEvent(new CustomEvent("workspace:empty"));
  clearSelection();
}

function giveBack(going, inFront, shown = false, why = "") {
  if (why) for (const row of going) refuse(row, why);
  if (shown) alreadyShown(going[0]);
  for (const row of going) {
    delete row.dataset.going;
    row.hidden = false;
  }
  document.dispatchEvent(new CustomEvent("workspace:returned"));
  if (inFront && going.length) bringToFront(going[0]);
  showSelection();
}

function settled(going, kept) {
  const staying = going.filter((row) => kept.has(row.dataset.ref));
  giveBack(staying, false);
  for (const row of staying) refuse(row, kept.get(row.dataset.ref));
  for (const row of going) {
    forget(row);
    delete row.dataset.going;
    if (isQueue() && !staying.includes(row)) row.remove();
  }
  // In a list the rows stay, and are shown as they are now.
  if (!isQueue()) document.dispatchEvent(new CustomEvent("workspace:refresh"));
}

const back = () => ["back", workspace().dataset.listUrl];

function fieldsOf(verb, going) {
  const all = going.flatMap((row) => [
    ["ref", row.dataset.ref],
    ...(row.dataset.seen ? [["seen", `${row.dataset.ref} ${row.dataset.seen}`]] : []),
  ]);
  return [["verb", verb], back(), ...all];
}

// Which of two stays where nobody chooses.
const sideOf = (verb, row) => ({ keep: row.dataset.keep, merge: row.dataset.merge })[verb];

function pairFields(verb, going) {
  const all = going.flatMap((row) => {
    const side = sideOf(verb, row);
    const { ref, seen } = row.dataset;
    return [["ref", ref], ["seen", `${ref} ${seen}`], ...(side ? [["keep", `${ref} ${side}`]] : [])];
  });
  return [["how", verb], back(), ...all];
}

function itemOf(row) {
  if (row.dataset.settle) return `pair:${row.dataset.ref}`;
  return row.dataset.decide ? `edit:${row.dataset.ref}` : row.dataset.ref;
}

// What is snoozed leaves the list at once; what is assigned stays, and is shown as it is then.
function planOn(verb, going, more) {
  const leaves = verb !== "assign";
  if (leaves) take(going);
  else {
    going.forEach(accept);
    clearSelection();
  }
  enqueue({
    url: workspace().dataset[PLANS[verb]],
    fields: () => [back(), ...going.map((row) => ["ref", itemOf(row)]), ...more],
    done: (kept) => {
      if (leaves) return settled(going, kept);
      for (const row of going) {
        forget(row);
        if (kept.has(row.dataset.ref)) refuse(row, kept.get(row.dataset.ref));
      }
      document.dispatchEvent(new CustomEvent("workspace:refresh"));
    },
    failed: (shown, why) => (leaves ? giveBack(going, true, shown, why) : why && going.forEach((row) => refuse(row, why))),
  });
}

export function actOn(verb, going, more = []) {
  if (!going.length) return;
  if (verb in PLANS) {
    planOn(verb, going, more);
    return;
  }
  const job = (some, url, fields) =>
    enqueue({ url, fields, done: (kept) => settled(some, kept), failed: (shown, why) => giveBack(some, true, shown, why) });
  const pairs = going.filter((row) => row.dataset.settle);
  const edits = going.filter((row) => row.dataset.decide);
  const insights = going.filter((row) => !row.dataset.settle && !row.dataset.decide);
  take(going);
  if (insights.length) job(insights, workspace().dataset.actUrl, () => [...fieldsOf(verb, insights), ...more]);
  // Several are one act, with one undo.
  const together = pairs.length > 1 && !more.length ? pairs : [];
  if (together.length) job(together, workspace().dataset.settleUrl, () => pairFields(verb, together));
  for (const row of pairs.filter((one) => !together.includes(one))) {
    const how = [["how", verb], ["seen", row.dataset.seen], back(), ...more];
    // A button of the panel says itself which of the two stays.
    const side = sideOf(verb, row);
    if (side && !more.some(([name]) => name === "keep")) how.push(["keep", side]);
    job([row], row.dataset.settle, () => how);
  }
  for (const row of edits) job([row], `${row.dataset.decide}${verb}/`, () => [["seen", row.dataset.seen], back(), ...more]);
}

// True if there was something to do. Of a selection those are taken that offer it.
export function actByKey(key) {
  const chosen = selected();
  const candidates = chosen.length ? chosen : [current()].filter(Boolean);
  for (const verb of VERBS[key] ?? []) {
    const going = candidates.filter((row) => offers(row, verb) && !("going" in row.dataset));
    if (going.length) {
      actOn(verb, going);
      return true;
    }
  }
  return false;
}

// The last act, whatever was looked at since. The list is asked for again: what comes back has its place in it.
export function undo(fields = []) {
  enqueue({
    url: workspace().dataset.undoUrl,
    fields: () => [back(), ...fields],
    done: () => document.dispatchEvent(new CustomEvent("workspace:refresh")),
  });
}

export const underWay = pending;
