// A model that runs in the page, asked as stored.js says. Nothing is asked of it twice: what was found about a text is
// kept until another text comes.

import { attentionMap, meanOf, ranked } from "./engine/read.js";
import { bytePairs } from "./tokenisers/byte_pairs.js";
import { wordPieces } from "./tokenisers/word_pieces.js";

const SHOWN = 40;
const BIN = 0.25; // as studies/next_words.py counts all others
const MOST = 48; // tokens: more would be too small to be seen
const FIVE = 5;

/** What is wrong with a text of the reader's, in words. */
export class BadText extends Error {}

/**
 * Logits as sampling_bars/tempered.js has them: the likeliest with how far they lie below the first, all others counted
 * in bins.
 */
function distribution(logits, piece) {
  const { ids } = ranked(logits, SHOWN);
  const first = logits[ids[0]];
  const listed = new Set(ids);
  const rest = [];
  logits.forEach((logit, id) => {
    if (listed.has(id)) return;
    const bin = Math.floor((first - logit) / BIN);
    rest[bin] = (rest[bin] ?? 0) + 1;
  });
  return { ids, top: ids.map((id) => [piece(id), first - logits[id]]), rest: Array.from(rest, (count) => count ?? 0) };
}

function logShares(logits, ids) {
  const top = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const sum = logits.reduce((a, b) => a + Math.exp(b - top), 0);
  return ids.map((id) => logits[id] - top - Math.log(sum));
}

/** model: of engine/open.js. */
export function live(model) {
  const { config, vocabulary } = model;
  const { layers, heads, causal, d } = config;
  const tokeniser = (config.next ? bytePairs : wordPieces)(vocabulary);
  let known = { text: null };
  const patches = new Map();

  function encode(text) {
    const ids = tokeniser.encode(text);
    if (ids.length < 2) throw new BadText("Type two pieces or more.");
    if (ids.length > MOST) throw new BadText(`That is ${ids.length} pieces; at most ${MOST} can be shown.`);
    return ids;
  }
  function of(text) {
    if (known.text !== text) {
      const ids = encode(text);
      const kept = { text, ids, erased: new Map() };
      kept.run = model.run(ids, { maps: true, stream: true, logits: config.next ? "last" : "none" });
      known = kept;
    }
    return known;
  }
  async function read(text) {
    const { ids, run } = of(text);
    const found = await run;
    const n = ids.length;
    return {
      words: ids.map(tokeniser.piece),
      weight: (layer, head) => attentionMap(found, config, layer, head),
      spread: (layer, head, row) => found.spreadAt?.[(layer * heads + head) * n + row] ?? null,
      next: found.logits ? distribution(found.logits, tokeniser.piece) : null,
    };
  }
  async function lens(text, place) {
    const { next } = await read(text);
    const asked = next.ids.slice(0, FIVE);
    const rows = await model.lensOf(of(text).ids, place, { top: 3, asked });
    return {
      words: asked.map(tokeniser.piece),
      p: rows.map((row) => row.asked.map(({ probability }) => probability)),
      top: rows.map((row) => row.ids.map((id, i) => [tokeniser.piece(id), row.probabilities[i]])),
    };
  }
  const key = ({ layer, part, fill }) => `${fill} ${layer} ${part}`;
  async function erase(text, change) {
    const about = of(text);
    if (!about.erased.has(key(change))) about.erased.set(key(change), erasing(about, change));
    return about.erased.get(key(change));
  }
  async function erasing(about, { layer, part, fill }) {
    const { logits } = await about.run;
    const at = part < heads ? "head" : part === heads ? "attention" : "feedForward";
    const values = fill === "zero" ? 0 : Float32Array.from(meanOf(await model.means(), config, at, layer, part));
    const edit = at === "head" ? { at, layer, head: part, values } : { at, layer, values };
    const changed = await model.run(about.ids, { maps: false, stream: false, logits: "last", edits: [edit] });
    const { ids } = ranked(logits, FIVE);
    const [before, after] = [logShares(logits, ids), logShares(changed.logits, ids)];
    const changes = after.map((x, i) => x - before[i]);
    about.known ??= new Map();
    about.known.set(key({ layer, part, fill }), changes[0]);
    return changes;
  }
  const erased = (text, fill) =>
    Array.from({ length: layers }, (_, layer) =>
      Array.from({ length: heads + 2 }, (_, part) => of(text).known?.get(key({ layer, part, fill })) ?? Number.NaN),
    );

  async function patch(text, other, what, { seen, signal } = {}) {
    const [clean, dirty] = [encode(text), encode(other)];
    if (clean.length !== dirty.length)
      throw new BadText(
        `The two sentences must have as many pieces as each other: they have ${clean.length} and ${dirty.length}.`,
      );
    const name = JSON.stringify([text, other, what]);
    if (patches.has(name)) return patches.get(name);
    const likeliest = async (ids) => ranked((await model.run(ids, { maps: false, stream: false })).logits, 1).ids[0];
    const [yes, no] = [await likeliest(clean), await likeliest(dirty)];
    if (yes === no)
      throw new BadText(
        `After both sentences “${tokeniser.piece(yes).trim()}” is the likeliest: there is no difference to follow. ` +
          `Change another word.`,
      );
    const n = clean.length;
    const first = clean.findIndex((id, i) => id !== dirty[i]);
    const found = {
      yes: tokeniser.piece(yes),
      no: tokeniser.piece(no),
      A: 0,
      B: 0,
      others: dirty.map(tokeniser.piece),
    };
    const logits = async (ids) => (await model.run(ids, { maps: false, stream: false })).logits;
    const D = (z) => z[yes] - z[no];
    [found.A, found.B] = [D(await logits(clean)), D(await logits(dirty))];
    // before the first piece that differs there is nothing to put in that is not there already
    found.values = Array.from({ length: layers }, () =>
      Array.from({ length: n }, (_, i) => (i < first ? found.B : Number.NaN)),
    );
    const onCells = (cells) => {
      for (const { layer, place, value } of cells) found.values[layer][place] = value;
      seen?.(found);
    };
    const part = what === "feed-forward" ? "feedForward" : what;
    onCells((await model.patchMap(clean, dirty, { part, yes, no, onCells, signal })).cells);
    patches.set(name, found);
    return found;
  }

  async function moved(text) {
    const { ids, run } = of(text);
    const { stream } = await run;
    const row = (layer, i) => stream.subarray((layer * ids.length + i) * d, (layer * ids.length + i + 1) * d);
    const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
    const cosine = (a, b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
    return Array.from({ length: layers }, (_, layer) =>
      ids.map((_, i) => 1 - cosine(row(layer, i), row(layer + 1, i))),
    );
  }
  return {
    name: model.title,
    stored: false,
    layers,
    heads,
    causal,
    views: config.next ? ["maps", "next", "lens", "erased", "patched", "moved"] : ["maps", "moved"],
    read,
    lens,
    erase,
    erased,
    patch,
    moved,
    close: model.close,
  };
}
