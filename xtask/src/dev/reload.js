// Loads the page again when `cargo xtask dev` has built it again. Only that command puts this file into a page.
{
  const address = new URL('build.txt', document.currentScript.src);
  let shown;
  setInterval(async () => {
    // While the page is being built, and when the server has ended, there is no answer.
    const answer = await fetch(address, { cache: 'no-store' }).catch(() => undefined);
    if (!answer?.ok) return;
    const built = await answer.text();
    if (shown !== undefined && built !== shown) location.reload();
    shown = built;
  }, 500);
}
