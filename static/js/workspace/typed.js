// What is typed while another list is on its way: kept for its script, which takes it in the same order.
const NAME = "loam-typed";
const FRESH = 3000; // milliseconds; what was typed longer ago was meant for another page

function stored() {
  try {
    const found = JSON.parse(sessionStorage.getItem(NAME) ?? "[]");
    sessionStorage.removeItem(NAME);
    return found;
  } catch {
    return [];
  }
}

export function keep(key) {
  try {
    sessionStorage.setItem(NAME, JSON.stringify([...stored(), { key, at: Date.now() }]));
  } catch {
    // storage refused: the key has to be pressed again
  }
}

// The keys that were typed on the page before, then those that came before this script, from the first to the last.
export function take() {
  const early = window.loamTypedAhead?.splice(0) ?? [];
  delete window.loamTypedAhead;
  return [...stored(), ...early].filter(({ at }) => at > Date.now() - FRESH).map(({ key }) => key);
}
