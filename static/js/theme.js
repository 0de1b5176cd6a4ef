// Loaded before the first paint, so that a chosen theme never flashes the other one.
// Without a choice the style sheet follows the system by itself.
(function () {
  try {
    const chosen = localStorage.getItem("loam-theme");
    if (chosen === "loam" || chosen === "loam-night") {
      document.documentElement.dataset.theme = chosen;
    }
  } catch {
    // storage refused: follow the system
  }
})();
