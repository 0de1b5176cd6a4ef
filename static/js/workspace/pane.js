// The item beside the list: how wide it is and whether it is shown, kept in this browser. Without this file both have
// their usual place. What was chosen is put on the page before the first paint by theme.js.
import { announce } from "../loam.js";

const WIDTH = "loam-pane";
const HIDDEN = "loam-pane-hidden";
const [LEAST, MOST, STEP] = [25, 70, 4]; // per cent of the workspace
const beside = matchMedia("(width >= 64rem)");
const root = document.documentElement;

function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // storage refused: it holds for this page
  }
}

const usual = () => Number.parseFloat(getComputedStyle(document.querySelector(".workspace") ?? root).getPropertyValue("--pane-usual"));
const width = () => Number.parseFloat(root.style.getPropertyValue("--pane")) || usual();

function resize(wanted) {
  const value = Math.round(Math.min(Math.max(wanted, LEAST), MOST));
  root.style.setProperty("--pane", `${value}%`);
  keep(WIDTH, String(value));
  document.querySelector(".pane-split")?.setAttribute("aria-valuenow", String(value));
}

export const paneHidden = () => beside.matches && root.dataset.pane === "hidden";

function dress() {
  for (const split of document.querySelectorAll(".pane-split")) {
    const now = { role: "separator", "aria-orientation": "vertical", "aria-label": "Width of the item", "aria-controls": "item" };
    const all = { ...now, "aria-valuemin": LEAST, "aria-valuemax": MOST, "aria-valuenow": width(), tabindex: 0 };
    for (const [name, value] of Object.entries(all)) split.setAttribute(name, String(value));
  }
  for (const button of document.querySelectorAll("[data-pane-toggle]")) {
    button.textContent = root.dataset.pane === "hidden" ? "Show item" : "Hide item";
    button.hidden = !beside.matches;
  }
}

export function togglePane() {
  if (!beside.matches || !document.getElementById("item")) return false;
  const hide = root.dataset.pane !== "hidden";
  if (hide) root.dataset.pane = "hidden";
  else delete root.dataset.pane;
  keep(HIDDEN, hide ? "1" : null);
  dress();
  announce(hide ? "Item hidden" : "Item shown");
  return true;
}

document.addEventListener("pointerdown", (event) => {
  const split = event.target.closest?.(".pane-split");
  if (!split || event.button !== 0) return;
  event.preventDefault();
  split.focus();
  split.setPointerCapture(event.pointerId);
  const grid = split.parentElement.getBoundingClientRect();
  const move = (moved) => resize(((grid.right - moved.clientX) / grid.width) * 100);
  split.addEventListener("pointermove", move);
  split.addEventListener("lostpointercapture", () => split.removeEventListener("pointermove", move), { once: true });
});

// A separator has keys of its own, which are none of the list's.
document.addEventListener("keydown", (event) => {
  const by = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key];
  if (!by || !event.target.matches?.(".pane-split")) return;
  event.preventDefault();
  resize(width() + by);
});
document.addEventListener("dblclick", (event) => {
  if (!event.target.matches?.(".pane-split")) return;
  root.style.removeProperty("--pane");
  keep(WIDTH, null);
  dress();
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-pane-toggle]")) togglePane();
});

// The item ends where the screen does: what may be done stands at its foot.
function fit() {
  const grid = document.querySelector(".workspace-grid");
  if (!grid) return;
  const top = Math.max(grid.getBoundingClientRect().top, Number.parseFloat(getComputedStyle(root).getPropertyValue("--top")) * 16 + 8);
  root.style.setProperty("--item-top", `${Math.round(top)}px`);
}

let fitting = 0;
const fitSoon = () => {
  fitting ||= requestAnimationFrame(() => {
    fitting = 0;
    fit();
  });
};
for (const moved of ["scroll", "resize"]) addEventListener(moved, fitSoon, { passive: true });
document.addEventListener("htmx:afterSettle", () => {
  dress();
  fit();
});
beside.addEventListener("change", dress);
dress();
fit();
