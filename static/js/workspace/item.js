// The item beside the list: shown when its row comes to the front, at once if it was fetched before.
import { rows, workspace } from "./rows.js";

const fetched = new Map();
const WAIT = 80; // a row that is only passed by is not fetched
let timer = 0;
let asked = null;

const panel = () => document.getElementById("item");

async function fetchItem(url) {
  if (!fetched.has(url)) {
    const answer = await fetch(url, { headers: { "HX-Request": "true" } });
    if (!answer.ok || answer.redirected) return null;
    fetched.set(url, await answer.text());
  }
  return fetched.get(url);
}

function put(html) {
  const target = panel();
  if (!target || html === null) return;
  window.htmx.swap(target, html, { swapStyle: "innerHTML", swapDelay: 0, settleDelay: 0 });
  target.scrollTop = 0;
  target.removeAttribute("aria-busy");
}

const tellArrival = () => document.dispatchEvent(new CustomEvent("workspace:item"));

async function show(row) {
  const url = row.dataset.item;
  const html = await fetchItem(url).catch(() => null);
  if (asked === url) {
    // What could not be had is asked for again; until then the item of before takes no keys.
    if (html === null) asked = null;
    put(html);
    tellArrival();
  }
  const all = rows();
  const next = all[all.indexOf(row) + 1];
  if (next?.dataset.item) fetchItem(next.dataset.item).catch(() => null);
}

export function showItem(row) {
  const url = row?.dataset.item;
  if (!url || asked === url) return;
  asked = url;
  clearTimeout(timer);
  if (fetched.has(url)) show(row);
  else {
    panel()?.setAttribute("aria-busy", "true");
    timer = setTimeout(show, WAIT, row);
  }
}

export function forget(row) {
  fetched.delete(row.dataset.item);
  if (asked === row.dataset.item) asked = null;
}

// What was asked for within the item is in it from now on: it is fetched when somebody comes back to it.
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target !== panel() && panel()?.contains(event.target)) fetched.delete(asked);
});

// On a small screen the item takes the list's place.
export function open() {
  workspace().dataset.opened = "";
}

export function close() {
  delete workspace().dataset.opened;
}

export function emptyItem() {
  asked = null;
  const target = panel();
  if (target) target.replaceChildren();
  tellArrival();
}

// Whether the item of the row in front is still on its way.
export const isAwaited = () => asked !== null && Boolean(panel()?.hasAttribute("aria-busy"));

// Resolves once it is there or cannot be had. It is fetched at once: a key waits for it.
export async function itemArrived(row) {
  if (timer && !fetched.has(asked)) {
    clearTimeout(timer);
    show(row);
  }
  while (isAwaited()) await new Promise((done) => document.addEventListener("workspace:item", done, { once: true }));
}

export const isShown = (row) => asked === row?.dataset.item;
export const alreadyShown = (row) => {
  asked = row?.dataset.item ?? null;
  tellArrival();
};
