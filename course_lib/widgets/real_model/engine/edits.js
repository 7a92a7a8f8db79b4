// What a reader changes inside the model: vectors that are put in place of those which a part of a layer has made.

/** Where an edit may be, and how many numbers a vector has there. */
export const PARTS = { head: "m", attention: "d", feedForward: "d", stream: "d" };

const whole = (value, below) => Number.isInteger(value) && value >= 0 && value < below;

function checked(edit, number, { layers, heads, context, ...widths }) {
  const say = (words) => {
    throw Error(`edits[${number}].${words}`);
  };
  const { at, layer, head, places = null, values } = edit;
  if (!(at in PARTS)) say(`at must be ${Object.keys(PARTS).join(", ")}, got ${at}`);
  const last = at === "stream" ? layers : layers - 1;
  if (!whole(layer, last + 1)) say(`layer must be a whole number from 0 to ${last}, got ${layer}`);
  if (at === "head" && !whole(head, heads)) say(`head must be a whole number from 0 to ${heads - 1}, got ${head}`);
  if (places !== null && !(Array.isArray(places) && places.every((place) => whole(place, context))))
    say(`places must be a list of whole numbers below ${context}, got ${places}`);
  const width = widths[PARTS[at]];
  const rows = values === 0 ? 0 : values?.length / width;
  if (!(rows === 0 || rows === 1 || rows === places?.length))
    say(
      `values must be 0 or have ${width} numbers, or ${width} for each of its places, got ${values?.length ?? values}`,
    );
  return { layer, at, head: head ?? 0, places, values, width, rows };
}

/** Edits, checked, as what the model asks for at each part of each layer. An Error names the edit that is wrong. */
export function makeEdits(list = [], config) {
  if (!Array.isArray(list)) throw Error(`edits must be a list, got ${list}`);
  const found = new Map();
  for (const edit of list.map((each, number) => checked(each, number, config))) {
    const key = `${edit.at} ${edit.layer}`;
    found.set(key, [...(found.get(key) ?? []), edit]);
  }
  return {
    /** Equal keys, equal edits. */
    key: JSON.stringify(list.map(({ values, ...rest }) => [rest, values ? Array.from(values) : values])),
    /**
     * Change the n vectors, `stride` floats apart, that begin at float `from` and stand at the places from `place` on.
     */
    apply(F, at, layer, n, place, from, stride) {
      for (const { head, places, values, width, rows } of found.get(`${at} ${layer}`) ?? [])
        for (let t = 0; t < n; t++) {
          const row = places === null ? 0 : places.indexOf(place + t);
          if (row < 0) continue;
          const to = from + t * stride + head * width;
          if (rows === 0) F.fill(0, to, to + width);
          else F.set(values.subarray(rows === 1 ? 0 : row * width, rows === 1 ? width : (row + 1) * width), to);
        }
    },
  };
}
