// The phases of a search as they end. Without this the form is sent as any other, and the page comes when all is found.

import { announce } from "./loam.js";

const STREAM = "text/event-stream";
const progress = document.getElementById("evidence-progress");
const trouble = document.getElementById("evidence-trouble");
const seconds = progress?.querySelector("[data-seconds]");
const phases = progress?.querySelector("[data-phases]");
let asking = null;
let clock = null;

// Server-sent events, of a POST: EventSource can only GET.
async function listen(response, tell) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const name = /^event: (.*)$/m.exec(block);
      const data = /^data: (.*)$/m.exec(block);
      if (name && data) tell(name[1], JSON.parse(data[1]));
    }
  }
}

function begin() {
  const began = Date.now();
  phases.replaceChildren();
  seconds.textContent = "";
  trouble.hidden = true;
  progress.hidden = false;
  clearInterval(clock);
  clock = setInterval(() => {
    seconds.textContent = `${Math.round((Date.now() - began) / 1000)} s`;
  }, 1000);
}

function end() {
  clearInterval(clock);
  progress.hidden = true;
  asking = null;
}

function complain(words) {
  trouble.textContent = words;
  trouble.hidden = false;
  trouble.focus();
}

function show(html) {
  const part = document.createElement("template");
  part.innerHTML = html;
  const answer = part.content.firstElementChild;
  document.getElementById("evidence-answer").replaceWith(part.content);
  answer.tabIndex = -1;
  answer.focus({ preventScroll: true }); // of what is taller than the window a browser shows the middle
  answer.scrollIntoView({ block: "start" });
  announce(answer.dataset.announce);
}

// Who reloads the page, comes back to it or is sent its address has the question searched again: an answer that was
// saved comes at once.
function remember(asked) {
  const address = new URL(location.pathname, location.origin);
  for (const [name, value] of asked) {
    if (!["csrfmiddlewaretoken", "recompute"].includes(name) && value) address.searchParams.append(name, value);
  }
  history.replaceState(null, "", address.href.length < 2_000 ? address : location.pathname);
}

// What was asked from elsewhere on the page stands in the form, from where it may be searched again.
function fillIn(asked) {
  const field = document.getElementById("evidence-ask")?.elements.query;
  if (field) field.value = asked.get("query");
}

async function ask(form, button) {
  asking?.abort();
  const body = new FormData(form, button);
  fillIn(body);
  const mine = new AbortController();
  asking = mine;
  begin();
  remember(body);
  let answered = false;
  try {
    const response = await fetch(form.action, { method: "POST", body, headers: { Accept: STREAM }, signal: mine.signal });
    if (!response.headers.get("Content-Type")?.startsWith(STREAM)) {
      form.submit(); // something is at fault, and the page says what
      return;
    }
    await listen(response, (name, data) => {
      if (asking !== mine) return;
      if (name === "phase") phases.insertAdjacentHTML("beforeend", data.html);
      else if (name === "answer") show(data.html);
      else complain(data.detail);
      answered ||= name !== "phase";
    });
    if (!answered && asking === mine) complain("The search was interrupted. Try again.");
  } catch (error) {
    if (asking !== mine) return;
    if (error.name === "AbortError") announce("Search stopped.");
    else complain("Request failed. Try again or reload the page.");
  }
  if (asking === mine) end();
}

document.addEventListener("submit", (event) => {
  if (!progress || !event.target.matches("[data-ask]")) return;
  event.preventDefault();
  ask(event.target, event.submitter);
});
document.querySelector("[data-ask-now]")?.requestSubmit();
progress?.querySelector("[data-stop]").addEventListener("click", () => asking?.abort());
// Who leaves waits for nothing: the server is told by the connection, and stops.
addEventListener("pagehide", () => asking?.abort());
