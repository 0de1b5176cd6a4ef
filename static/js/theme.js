// Loaded before the first paint, so that a chosen theme never flashes the other one, nor a list its item at another width.
// Without a choice the style sheet follows the system by itself.
(function () {
  document.documentElement.dataset.scripted = "";
  try {
    const chosen = localStorage.getItem("loam-theme");
    if (chosen === "loam" || chosen === "loam-night") {
      document.documentElement.dataset.theme = chosen;
    }
    const width = Number.parseInt(localStorage.getItem("loam-pane"), 10);
    if (width >= 25 && width <= 70) document.documentElement.style.setProperty("--pane", `${width}%`);
    if (localStorage.getItem("loam-pane-hidden")) document.documentElement.dataset.pane = "hidden";
  } catch {
    // storage refused: follow the system, and the usual widths
  }
})();
