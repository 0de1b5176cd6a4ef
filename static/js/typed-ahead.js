// Keys that come before the list's own script is there, for it to take: static/js/workspace.js.
window.loamTypedAhead = [];
document.addEventListener("keydown", (event) => {
  if (!window.loamTypedAhead || event.key.length > 1 || event.key === " ") return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable]")) return;
  window.loamTypedAhead.push({ key: event.key, at: Date.now() });
});
