// The place that an address or a link names: a fold there is opened (browsers open one only for what lies inside), and
// the place stays where the browser has put it while cards and figures above it still grow, until the reader moves.
(() => {
  const { aim } = globalThis.__course;
  const MOVES = ["wheel", "touchmove", "pointerdown", "keydown"];
  let held = new AbortController();

  function keep() {
    held.abort();
    const place = aim();
    if (!place) return;
    held = new AbortController();
    const { signal } = held;
    const release = held.abort.bind(held);
    let height;
    let top;
    const grown = new ResizeObserver(() => {
      place.scrollIntoView();
      height = document.body.offsetHeight;
      top = place.getBoundingClientRect().top;
    });
    grown.observe(document.body); // and is told of its size at once
    signal.addEventListener("abort", () => grown.disconnect());
    for (const move of MOVES) addEventListener(move, release, { signal, passive: true });
    const scrolled = () => {
      // nothing has grown: it was somebody, by the scroll bar or a search in the page
      if (document.body.offsetHeight === height && Math.abs(place.getBoundingClientRect().top - top) > 1) release();
    };
    addEventListener("scroll", scrolled, { signal, passive: true });
  }

  function reveal() {
    const place = aim();
    if (!place?.matches("details:not([open])")) return;
    place.open = true;
    place.scrollIntoView();
  }

  addEventListener("hashchange", reveal);
  document.addEventListener("click", ({ target }) => {
    const { hash } = target.closest?.("a[href]") ?? {};
    if (hash) setTimeout(() => hash === location.hash && keep()); // it leads to a place of this page
  });
  reveal();
  // who comes back is put where she was
  if (performance.getEntriesByType("navigation")[0]?.type === "navigate") keep();
})();
