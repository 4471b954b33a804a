// Runs before the first paint, so that a chosen theme or a folded list does not flash.
try {
  const root = document.documentElement;
  const theme = localStorage.getItem("kith:theme");
  if (theme) root.dataset.theme = theme;
  if (localStorage.getItem("kith:sidebar") === "folded") root.dataset.sidebar = "folded";
} catch {
  // Storage is switched off: the defaults stand.
}
