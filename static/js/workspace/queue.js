// Requests that change something, one after the other in the order of the keys: none is lost while one is under way.
import { announceNotes, complain } from "../loam.js";

const NOT_SENT = "the server did not answer, or could not do it.";
const waiting = [];
let busy = false;

export const pending = () => waiting.length + (busy ? 1 : 0);

function token() {
  return document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
}

// What a browser takes of requests that outlive their page, in bytes: 64 kB of all together.
const OUTLIVES = 20_000;

function send({ url, fields }) {
  const body = new URLSearchParams();
  // What a row says of itself is read when it is sent: an act before this one may have changed it.
  for (const [name, value] of fields()) body.append(name, value);
  body.append("part", "1");
  return fetch(url, {
    method: "POST",
    body,
    keepalive: `${body}`.length < OUTLIVES,
    headers: { "HX-Request": "true", "X-CSRFToken": token(), "HX-Current-URL": location.href },
  });
}

async function run() {
  busy = true;
  while (waiting.length) {
    const job = waiting.shift();
    try {
      const answer = await send(job);
      const text = await answer.text();
      const told = new DOMParser().parseFromString(text, "text/html");
      if (answer.redirected) location.reload(); // signed out meanwhile
      const target = answer.headers.get("HX-Retarget");
      if (target === "#item") {
        // Somebody else was quicker: what they did, and what was typed, is in the item's place.
        job.failed?.(true);
        window.htmx.swap(target, text, { swapStyle: "innerHTML", swapDelay: 0, settleDelay: 0 });
      } else if (answer.ok) {
        window.htmx.swap("body", text, { swapStyle: "none", swapDelay: 0, settleDelay: 0 });
        announceNotes();
        job.done?.(new Map([...told.querySelectorAll("[data-kept]")].map((one) => [one.dataset.kept, one.textContent])));
      } else {
        job.failed?.(false, told.querySelector("[data-words]")?.textContent.trim() || NOT_SENT);
        if (target) window.htmx.swap(target, text, { swapStyle: "innerHTML", swapDelay: 0, settleDelay: 0 });
        else complain("Request failed. Try again or reload the page.");
        if (target === "#messages") announceNotes();
      }
    } catch {
      job.failed?.(false, NOT_SENT);
      complain("Request failed. Try again or reload the page.");
    }
  }
  busy = false;
  document.dispatchEvent(new CustomEvent("workspace:idle"));
}

// `fields`: a function that returns pairs of name and value; `done` gets why something was not done, by its reference;
// `failed` whether the item's place says more, and why.
export function enqueue(job) {
  waiting.push(job);
  if (!busy) run();
}

// Somebody who leaves the page has pressed the keys all the same.
addEventListener("pagehide", () => {
  for (const job of waiting.splice(0)) send(job).catch(() => {});
});
