// The journey for tests/widgets/test_journey.py: reads {data, graph, cases: [{source, target, head}], cut: [text]} from
// standard input. For each case and stop: its sentence, its matrices with their shapes, the results it shows, and the
// largest difference between an entry and what the widget says it was computed from.

import { readFileSync } from "node:fs";
import { CODECS } from "../../course_lib/widgets/journey/address.js";
import { boxes, find, stops } from "../../course_lib/widgets/journey/route.js";
import { sceneOf } from "../../course_lib/widgets/journey/scenes.js";
import { cut, problem } from "../../course_lib/widgets/journey/sentence.js";
import { entryWords, howWords, sentenceOf, summary } from "../../course_lib/widgets/journey/words.js";
import { makeModel } from "../../course_lib/widgets/runtime/shipped.js";

const { data, graph, cases = [], cut: texts = [], codecs = [] } = JSON.parse(readFileSync(0, "utf8"));
const model = makeModel(data, graph);
const { layers } = model.config;
const list = stops(layers);

function look(matrix) {
  let worst = 0;
  let tried = 0;
  let words = "";
  for (let i = 0; matrix.how && i < matrix.rows; i++) {
    for (let j = i % 3; j < matrix.cols; j += 3) {
      const how = matrix.how(i, j);
      worst = Math.max(worst, Math.abs(how.result - matrix.numbers[i * matrix.cols + j]));
      if (how.strips.some(({ numbers }) => numbers.length !== how.strips[0].numbers.length)) worst = Infinity;
      words += entryWords(matrix, i, j) + howWords(matrix, i, j, how);
      tried++;
    }
  }
  const fits =
    matrix.numbers.length === matrix.rows * matrix.cols &&
    (matrix.rowNames?.length ?? matrix.rows) === matrix.rows &&
    (matrix.colNames?.length ?? matrix.cols) === matrix.cols;
  return {
    id: matrix.id,
    letters: matrix.letters,
    shape: [matrix.rows, matrix.of ?? matrix.cols],
    fits,
    tried,
    worst,
    last: Array.from(matrix.numbers.slice(-matrix.cols)),
    words: words + summary(matrix, 0),
  };
}

const seen = cases.map(({ source, target, head }) => {
  const answers = model.run({ source, target }, model.results);
  return list.map(({ station, layer }) => {
    const read = new Set();
    const results = new Proxy(answers, {
      get: (all, key) => {
        read.add(key);
        return all[key];
      },
    });
    const context = { model, results, source, target, layer: layer ?? 0, head, row: null };
    const scene = sceneOf(context, station);
    const ids = Object.keys(scene.matrices ?? {});
    return {
      station,
      layer,
      told: sentenceOf(context, station, scene),
      main: scene.main ?? null,
      lines: scene.lines ?? [],
      ids,
      read: [...read],
      matrices: Object.values(scene.matrices ?? {}).map(look),
    };
  });
});
process.stdout.write(
  JSON.stringify({
    seen,
    boxes: boxes(layers).map(({ key, layer }) => [key, layer]),
    order: list.map(({ station, layer }) => [station, layer]),
    found: list.map(({ station, layer }) => find(list, station, layer ?? 7)),
    beyond: find(list, "cross_weights", 7),
    cut: texts.map((text) => [cut(text, data.source), problem(text, data.source)]),
    codecs: codecs.map(([name, text]) => {
      const value = CODECS[name].read(text);
      return [value, value === null ? null : CODECS[name].write(value)];
    }),
  }),
);
