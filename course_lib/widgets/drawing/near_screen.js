/**
 * Resolves when the element comes near the screen; at once where nobody can tell. What it waits for is fetched on
 * demand only.
 */
export function nearScreen(el, margin = "600px") {
  if (!globalThis.IntersectionObserver) return Promise.resolve();
  return new Promise((done) => {
    const watcher = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        watcher.disconnect();
        done();
      },
      { rootMargin: margin },
    );
    watcher.observe(el);
  });
}
