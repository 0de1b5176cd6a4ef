// The list again, or another one in its place: on the same page, for what is typed between two pages is lost to both.
import { complain } from "../loam.js";
import { underWay } from "./acts.js";
import { alreadyShown } from "./item.js";
import { bringToFront, current, rows, showRefusals, showSelection, workspace } from "./rows.js";

const FEW = 10;
let refreshing = false;
let wanted = false;

const doneActing = () => underWay() && new Promise((done) => document.addEventListener("workspace:idle", done, { once: true }));

async function fetchList(url) {
  try {
    const answer = await fetch(url, { headers: { "HX-Request": "true", "HX-Current-URL": location.href } });
    return answer.ok && !answer.redirected ? await answer.text() : null;
  } catch {
    return null;
  }
}

// The row that was in front stays there, where it is still in the list.
function show(html, at, focus) {
  window.htmx.swap(workspace(), html, { swapStyle: "outerHTML", swapDelay: 0, settleDelay: 0 });
  const again = rows().find((row) => row.id === at) ?? rows().find((row) => "current" in row.dataset) ?? rows()[0];
  showSelection();
  showRefusals();
  if (again) {
    alreadyShown(rows().find((row) => "current" in row.dataset) ?? again);
    bringToFront(again, focus);
  } else if (focus) {
    const head = workspace()?.querySelector("h2");
    if (head) {
      head.tabIndex = -1;
      head.focus();
    }
  }
}

// --- another list, by `address()`, once what was done before is done; true when it is shown ---
export async function openList(address) {
  await doneActing();
  const url = address();
  if (!url) return true;
  workspace().setAttribute("aria-busy", "true");
  const html = await fetchList(url);
  workspace().removeAttribute("aria-busy");
  if (html === null) {
    complain("Request failed. Try again or reload the page.");
    return false;
  }
  // Done by the pointer meanwhile: the list of before it would bring rows back.
  if (underWay()) return openList(address);
  // With its mark: HTMX loads the page when the browser goes back to it.
  history.replaceState({ htmx: true }, "");
  history.pushState({ htmx: true }, "", url);
  show(html, null, true);
  return true;
}

// --- the same list: after an undo, when few rows are left of more, and when the last one has gone ---
async function refresh() {
  // One at a time, and the list as it is after the last act: what was asked for before it is asked for again.
  if (refreshing) {
    wanted = true;
    return;
  }
  const home = workspace();
  const at = current()?.id;
  refreshing = true;
  const html = await fetchList(home.dataset.listUrl);
  refreshing = false;
  if (html === null) return;
  // What was pressed meanwhile is on its way: the list of before it would bring rows back.
  if (underWay()) {
    wanted = true;
    return;
  }
  if (wanted) {
    wanted = false;
    refresh();
    return;
  }
  if (workspace() !== home) return; // another list is shown by now
  // Where somebody has gone meanwhile.
  show(html, current()?.id ?? at, !document.activeElement || document.activeElement === document.body || home.contains(document.activeElement));
}

document.addEventListener("workspace:refresh", () => {
  wanted = true;
});
document.addEventListener("workspace:idle", () => {
  const few = workspace()?.querySelector("[data-more]") && rows().length < FEW;
  if (refreshing || wanted || few || !rows().length) {
    wanted = false;
    refresh();
  }
});
