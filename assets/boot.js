// Starts the page. It is a file of its own, because the content security policy forbids inline scripts.
(async () => {
  const { js, wasm } = document.querySelector('meta[name="syclscope-boot"]').dataset;
  try {
    const page = await import(js);
    await page.default({ module_or_path: wasm });
  } catch (error) {
    const note = document.createElement("p");
    note.className = "boot-failure";
    note.setAttribute("role", "alert");
    note.textContent =
      `The page could not start: ${error}. It needs a browser from 2023 or later; reload to try again.`;
    document.body.append(note);
    throw error;
  }
})();
