// Runs before the first paint, so that a chosen theme never flashes the other one.
try {
  const choice = new URLSearchParams(location.search).get("theme") ?? localStorage.getItem("syclscope.theme");
  if (choice === "dark" || choice === "light") document.documentElement.dataset.theme = choice;
  const scale = localStorage.getItem("syclscope.text-scale");
  if (/^\d+$/.test(scale ?? "")) document.documentElement.style.fontSize = `${scale}%`;
} catch {
  // Storage may be forbidden; the system's theme is used then.
}
