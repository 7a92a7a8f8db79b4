// The route from an English sentence to the next French word: every stop, in order, and the boxes of the map that hold
// them.

const LOOK = ["read", "scores", "weights", "mix", "gather"];
const THINK = ["hidden", "output"];
const named = (prefix, names) => names.map((name) => `${prefix}_${name}`);

// A box of the map: key, what it says, its stops, the side on which its rows stand. `layered`: there is one for each
// layer.
const SOURCE = [
  { key: "words", label: "tokens", stops: ["words"] },
  { key: "embedding", label: "embedding", stops: ["one_hot", "embedding"] },
  { key: "position", label: "+ position", stops: ["position"] },
  { key: "encoder_look", label: "self-attention", stops: named("encoder", LOOK), layered: true },
  { key: "encoder_think", label: "feed-forward", stops: named("encoder", THINK), layered: true },
  { key: "memory", label: "norm: memory", stops: ["memory"] },
];
const TARGET = [
  { key: "target_words", label: "words so far", stops: ["target_words"] },
  { key: "target_embedding", label: "embedding", stops: ["target_embedding"] },
  { key: "target_position", label: "+ position", stops: ["target_position"] },
  { key: "decoder_look", label: "masked self-attention", stops: named("decoder", LOOK), layered: true },
  { key: "cross_look", label: "cross-attention", stops: named("cross", LOOK), layered: true },
  { key: "decoder_think", label: "feed-forward", stops: named("decoder", THINK), layered: true },
  { key: "final", label: "norm", stops: ["final"] },
  { key: "logits", label: "logits", stops: ["logits"] },
  { key: "softmax", label: "softmax", stops: ["softmax"] },
];
// What a stop is called within its box.
export const STEPS = {
  one_hot: "one-hot",
  embedding: "row of E",
  read: "Q, K, V",
  scores: "scores",
  weights: "weights",
  mix: "average",
  gather: "heads joined",
  hidden: "neurons",
  output: "add",
};
export const stepName = (station) => STEPS[station] ?? STEPS[station.split("_").at(-1)] ?? station;

/**
 * All boxes of a model with so many layers: [{key, label, stops, side, layer (null outside the layers)}…], in order.
 */
export function boxes(layers) {
  const side = (name, list) => {
    const inside = list.filter((box) => box.layered);
    const first = list.indexOf(inside[0]);
    const stack = Array.from({ length: layers }, (_, layer) => inside.map((box) => ({ ...box, layer }))).flat();
    return [...list.slice(0, first), ...stack, ...list.slice(first + inside.length)].map((box) => ({
      layer: null,
      ...box,
      side: name,
    }));
  };
  return [...side("source", SOURCE), ...side("target", TARGET)];
}

/** Every stop in order: [{station, layer, box}…]. */
export const stops = (layers) =>
  boxes(layers).flatMap((box) => box.stops.map((station) => ({ station, layer: box.layer, box })));

// Twelve that tell the whole route: in layers, the last.
const EXPRESS = [
  ["words", "embedding", "position", "encoder_weights", "encoder_output", "memory"],
  ["target_words", "decoder_weights", "cross_weights", "decoder_output", "logits", "softmax"],
].flat();
export const express = (list, layers) =>
  list.filter(({ station, layer }) => EXPRESS.includes(station) && (layer === null || layer === layers - 1));

/** Where a station stands in the list; a station outside the layers ignores `layer`, a layer too high is the last. */
export function find(list, station, layer) {
  const at = list.findIndex((stop) => stop.station === station && (stop.layer === null || stop.layer === layer));
  return at >= 0 ? at : list.findLastIndex((stop) => stop.station === station);
}
