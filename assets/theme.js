// Runs before the first paint, so that a chosen theme never flashes the other one.
try {
  const choice = localStorage.getItem("syclscope.theme");
  if (choice === "dark" || choice === "light") document.documentElement.dataset.theme = choice;
} catch {
  // Storage may be forbidden; the system's theme is used then.
}
