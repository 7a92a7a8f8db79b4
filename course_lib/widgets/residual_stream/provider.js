// What the widget asks of a model that has read a pair of sentences. It knows no other way to a number, so that a live
// model can stand here: each of the four may give its answer or a promise of it. A provider is
//
//   tokens    {A, B, C}: the pieces of the sentence, of the one it is paired with, and of a third; `at`: the place of
// the word that differs
//   words     {A, B}: two pieces; D is the logit of the first less that of the second, at the last token
//   own       {A, B}: the piece that fits the sentence, which is one of the two; p and log p are its own
//   plain     {A, B, C}: {D} and, of A and B, {log}, nothing changed
//   layers, heads; kind: "null" where D of A and D of B hardly differ
//   lens(side, layer)                of each token, after so many layers: {top: [[piece, p], …], next: p of the true
// next piece}
//   contributions(side)              {start, parts: [layer][part]} of D; part: a head, or `heads` for all of them, or
// `heads` + 1 for feed-forward
//   erase(side, fill, layer, part)   {log, D} with this part's "zero" or "mean" at the last token
//   patch(source, layer, token)      D after B with one row from `source` after so many layers
//
// `stored` is the one that reads a row of studies/residual_stream.py.

export function stored(row) {
  const heads = row.erased.A.mean.D[0].length - 2;
  const sides = Object.entries({ A: 0, B: 1, C: 2 });
  const perSide = (read) => Object.fromEntries(sides.map(([side, i]) => [side, read(i)]));
  return {
    kind: row.kind,
    tokens: perSide((i) => row.tokens[i]),
    at: row.at,
    words: { A: row.a, B: row.b },
    own: { A: row.a, B: row.kind === "null" ? row.a : row.b },
    plain: perSide((i) => ({ D: row.D[i], log: row["log p"][i] })),
    layers: row.erased.A.mean.D.length,
    heads,
    lens(side, layer) {
      const { words, top, p, next } = row.lens[side];
      return top[layer].map((cell, i) => ({
        top: cell.map((word, k) => [words[word], p[layer][i][k]]),
        next: next[layer][i],
      }));
    },
    contributions(side) {
      const { start, parts } = row.written[side];
      const all = (each) => each.slice(0, heads).reduce((sum, x) => sum + x, 0);
      return { start, parts: parts.map((each) => [...each.slice(0, heads), all(each), each[heads]]) };
    },
    erase(side, fill, layer, part) {
      const table = row.erased[side][fill];
      return { log: table["log p"][layer][part], D: table.D[layer][part] };
    },
    patch: (source, layer, token) => row.patched[source][layer][token],
  };
}
