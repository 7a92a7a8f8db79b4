// The search: what the pages say stands before what the reference lists.
// Sphinx's own weights (sphinx/themes/basic/static/searchtools.js), and a step down for the reference.
window.Scorer = {
  score: ([page, , , , score]) => (page.startsWith("book/reference/") ? score - 1000 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
