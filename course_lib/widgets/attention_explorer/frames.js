// Frames that no session sends, and frames as Python reads them.

/** The frame of the run trained beforehand, as the session will send it. */
export function storedFrame({ seen, losses, accuracies, moments }) {
  const step = losses.length;
  const accuracy = accuracies.at(-1)[1];
  return {
    ...seen,
    step,
    steps: step,
    on: false,
    stopped: null,
    stored: true,
    off: [],
    accuracy,
    whole: accuracy,
    loss: losses.at(-1),
    accuracies,
    losses: losses.map((loss, i) => [i, loss]),
    moments: [0, ...moments.map((moment) => moment.step)],
    probabilities: Float32Array.from(seen.probabilities),
    weights: seen.weights.map((layer) => Float32Array.from(layer)),
  };
}

function nested(flat, [size, ...rest]) {
  if (size === undefined) return Number(flat[0].toPrecision(5));
  const each = flat.length / size;
  return Array.from({ length: size }, (_, i) => nested(flat.subarray(i * each, (i + 1) * each), rest));
}

/** The traits that Python reads back. */
export function readBack(frame, { n, vocabulary }, heads) {
  const words = (tokens) => tokens.map((token) => vocabulary[token]);
  return {
    tokens: words(frame.tokens),
    answers: words(frame.alone),
    step: frame.step,
    accuracy: frame.accuracy,
    weights: frame.weights.map((layer) => nested(layer, [heads, n, n])),
    losses: frame.losses.map(([step, loss]) => [step, Number(loss.toPrecision(6))]),
  };
}
