// Every stop of the journey for tests/test_journey.py: reads {data, graph, cases: [{source, target, head}]}, writes for each case and stop
// the shapes, and the largest difference between an entry and the way that the widget says it was computed.

import { readFileSync } from "node:fs";
import { boxes, stops } from "../../course_lib/widgets/static/journey/route.js";
import { sceneOf } from "../../course_lib/widgets/static/journey/scenes.js";
import { sentenceOf } from "../../course_lib/widgets/static/journey/words.js";
import { makeModel } from "../../course_lib/widgets/static/shipped.js";

const { data, graph, cases } = JSON.parse(readFileSync(0, "utf8"));
const model = makeModel(data, graph), { layers } = model.config;

const seen = cases.map(({ source, target, head }) => {
  const results = model.run({ source, target }, model.results);
  return stops(layers).map(({ station, layer }) => {
    const context = { model, results, source, target, layer: layer ?? 0, head, row: null };
    const scene = sceneOf(context, station), told = sentenceOf(context, station, scene);
    const matrices = Object.values(scene.matrices ?? {}).map((matrix) => {
      let worst = 0, tried = 0;
      for (let i = 0; matrix.how && i < matrix.rows; i++) {
        for (let j = i % 3; j < matrix.cols; j += 3) {
          const { result, strips } = matrix.how(i, j);
          worst = Math.max(worst, Math.abs(result - matrix.numbers[i * matrix.cols + j]));
          if (strips.some(({ numbers }) => numbers.length !== strips[0].numbers.length)) worst = Infinity;
          tried++;
        }
      }
      return { id: matrix.id, letters: matrix.letters, shape: [matrix.rows, matrix.of ?? matrix.cols], named: (matrix.rowNames?.length ?? matrix.rows) === matrix.rows
        && (matrix.colNames?.length ?? matrix.cols) === matrix.cols && matrix.numbers.length === matrix.rows * matrix.cols, how: Boolean(matrix.how), tried, worst };
    });
    const known = new Set(matrices.map(({ id }) => id));
    return { station, layer, told, main: scene.main, there: !scene.matrices || known.has(scene.main), matrices,
      used: (scene.lines ?? []).flat().filter((item) => known.has(item)) };
  });
});
process.stdout.write(JSON.stringify({ seen, boxes: boxes(layers).length, order: stops(layers).map(({ station, layer }) => [station, layer]) }));
