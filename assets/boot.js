// Starts the page or, in a worker, the module of the worker's name: the exporter, which writes a local file in another
// format, or else the engine, which opens local files. It is a separate file, because the content security policy
// forbids inline scripts.
(async () => {
  if (typeof document === "undefined") {
    // Messages that arrive before the module listens are stored and dispatched again.
    const early = [];
    const keep = (event) => early.push(event.data);
    addEventListener("message", keep);
    const engine = await import(name === "exporter" ? "./syclscope-exporter.js" : "./syclscope-worker.js");
    await engine.default();
    removeEventListener("message", keep);
    for (const data of early) dispatchEvent(new MessageEvent("message", { data }));
    return;
  }
  const { dataset } = document.querySelector('meta[name="syclscope-boot"]');
  dataset.boot = document.querySelector("script[src*='boot']").src;
  // The address names the views that it opens. Their modules load in parallel with the main module, not after it.
  const modules = new Map((dataset.views ?? "").split(";").map((module) => module.split(":")));
  const ahead = new Set();
  for (const view of new URLSearchParams(location.search).get("v")?.match(/[a-z]+\b(?!\()/g) ?? []) {
    const files = view === "timeline" ? "" : (modules.get(view) ?? modules.get("others") ?? "");
    for (const file of files.split(" ").filter(Boolean)) ahead.add(file);
  }
  for (const file of ahead) {
    const link = document.createElement("link");
    Object.assign(link, { rel: "preload", as: "fetch", crossOrigin: "anonymous", href: `./${file}` });
    document.head.append(link);
  }
  try {
    const page = await import(dataset.js);
    await page.default({ module_or_path: dataset.wasm });
  } catch (error) {
    const note = document.createElement("p");
    note.className = "boot-failure";
    note.setAttribute("role", "alert");
    note.textContent =
      `The page could not start: ${error}. It needs a browser from 2023 or later; reload to try again.`;
    document.body.append(note);
    throw error;
  }
})().catch((error) => {
  // A worker reports errors to the page, but not rejected promises.
  setTimeout(() => {
    throw error;
  });
});
