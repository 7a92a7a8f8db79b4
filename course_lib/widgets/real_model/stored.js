// What the widget asks of a model. It knows no other way to a number, so recorded runs and a model that is alive
// (live.js) stand here alike; each question may be answered at once or by a promise. A provider has
//
//   name, stored; layers, heads, causal; views: those that it can answer
//   read(text)                     {words: the pieces, weight(layer, head): [n·n], spread(layer, head, row): of the
// scores, or null; next: {top, rest}
//                                  as sampling_bars/tempered.js has it, or null}
//   lens(text, place)              {words: the five likeliest next pieces, p: [layers + 1][5], top: [layers + 1] lists
// of [piece, p]}
//   erase(text, {layer, part, fill})   the changes of log p of the five; part: a head, or `heads` for all of them, or
// `heads` + 1 for feed-forward
//   erased(text, fill)             of those that are known: [layers][part], the first of the five, or NaN
//   patch(text, other, what, {seen, signal})   {yes, no, A, B, others, values: [column][token]}, the difference of two
// logits; a cell still to come is
//                                  NaN, and seen(the same) is called as more come
//   moved(text)                    1 − cosine of each row before and after a layer: [layers][token]
//
// `stored` answers from the rows of studies/open_model.py, for its own sentences only.

/** What a recorded run has no answer to. */
export class NotStored extends Error {}

function weights(row, layers, heads) {
  const n = row.tokens.length;
  const bytes = Uint8Array.from(atob(row.maps), (each) => each.charCodeAt(0));
  const size = (n * (n + 1)) / 2;
  if (bytes.length !== layers * heads * size) throw new Error("The recorded maps are cut short.");
  return (layer, head) => {
    const map = new Float32Array(n * n);
    let at = (layer * heads + head) * size;
    for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) map[i * n + j] = bytes[at++] / 100;
    return map;
  };
}

export function stored(rows) {
  const layers = rows[0].moved.length;
  const heads = rows[0].spread[0].length;
  const of = (text) => {
    const row = rows.find((each) => each.text === text);
    if (!row) throw new NotStored("A sentence of your own needs the model.");
    return row;
  };
  return {
    name: "SmolLM2",
    stored: true,
    layers,
    heads,
    causal: true,
    views: ["maps", "next", "lens", "erased", "patched", "moved"],
    read(text) {
      const row = of(text);
      const last = row.tokens.length - 1;
      return {
        words: row.tokens,
        weight: weights(row, layers, heads),
        spread: (layer, head, at) => (at === last ? row.spread[layer][head] : null),
        next: row.next,
      };
    },
    lens(text, place) {
      const { lens, words } = of(text);
      return {
        words,
        p: lens.words.map((layer) => layer[place].map((thousandths) => thousandths / 1000)),
        top: lens.top.map((layer, l) => layer[place].map((piece, i) => [lens.pieces[piece], lens.p[l][place][i]])),
      };
    },
    erase: (text, { layer, part, fill }) => of(text).erased[fill][layer][part].map((change) => change / 100),
    erased: (text, fill) => of(text).erased[fill].map((layer) => layer.map((words) => words[0] / 100)),
    patch(text, other, what) {
      const row = of(text);
      if (other !== row.other) throw new NotStored("A second sentence of your own needs the model.");
      const [A, B] = row.D;
      return { yes: row.yes, no: row.no, A, B, others: row["other tokens"], values: row.patched[what] };
    },
    moved: (text) => of(text).moved,
  };
}
