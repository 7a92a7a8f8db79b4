// Where to begin, and what is next: conclusions from the reader's records. Pure but for the records, which come in as a function.
(() => {
  const OWN = "placement."; // a card of the page "Where to begin" keeps its record under this and its id
  const KNOWN = ({ solved, tried, hints }) => solved && tried === 1 && !hints;

  /**
   * What the ten answers say. `way` is {primers, chapters, alone, after}, lists of {id, begin}; `record(id)` a card's record or null.
   * A question that was not answered counts as not known. `begin` is null where all chapters' questions are known.
   */
  function placed({ primers, chapters }, record) {
    const known = ({ id }) => {
      const found = record(OWN + id);
      return Boolean(found?.tried && KNOWN(found));
    };
    const all = [...primers, ...chapters];
    return {
      answered: all.filter(({ id }) => record(OWN + id)?.tried).length,
      total: all.length,
      skip: primers.filter(known).map(({ begin }) => begin),
      read: primers.filter((each) => !known(each)).map(({ begin }) => begin),
      begin: chapters.find((each) => !known(each))?.begin ?? null,
    };
  }

  /**
   * Which page to open: {unfinished, next}, places in `pages` or −1. `pages` is the book in order, each {page, tried, solved, total, at}:
   * how many exercises were tried (the solved ones too), and when the last time was, null if never. `place` is what `placed` returned.
   *   unfinished  the page that was worked on last, while an exercise of it is not solved
   *   next        the first untouched page behind it; with none behind it, the first untouched one. Once questions of placement are
   *               answered, primers that can be skipped and all other pages before the beginning are passed over; `after` is the
   *               beginning for who knew everything
   */
  function onwards(pages, place, after) {
    const last = pages.reduce((best, { at }, i) => (at !== null && (best < 0 || at >= pages[best].at) ? i : best), -1);
    const primer = new Set([...place.skip, ...place.read].map(({ page }) => page));
    const skipped = new Set(place.skip.map(({ page }) => page));
    const from = pages.findIndex(({ page }) => page === (place.begin?.page ?? after));
    const passed = ({ page }, i) => place.answered > 0 && (primer.has(page) ? skipped.has(page) : i < from);
    const open = pages.map((each, i) => [i, each]).filter(([i, each]) => !each.tried && !passed(each, i));
    const next = open.find(([i]) => i > last) ?? open[0];
    const unfinished = last >= 0 && pages[last].solved < pages[last].total ? last : -1;
    return { unfinished, next: next ? next[0] : -1 };
  }

  globalThis.__course.way = { OWN, placed, onwards };
})();
