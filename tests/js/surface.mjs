// The surface's pure parts for tests/widgets/test_surface.py.

import { contour } from "../../course_lib/widgets/surface/contour.js";
import { camera, farFirst, heightAt, hit } from "../../course_lib/widgets/surface/geometry.js";
import { colour, digits, heightOf, partOf, ranges, ticks } from "../../course_lib/widgets/drawing/scale.js";
import { codecs } from "../../course_lib/widgets/surface/index.js";
import { extremes, markerWords, rangeWords } from "../../course_lib/widgets/surface/words.js";
import { answers } from "./answers.mjs";

await answers({
  see: (azimuth, elevation, points) => points.map((point) => camera(azimuth, elevation)(...point)),
  farFirst,
  heightAt,
  hit,
  contour,
  ranges,
  ticks,
  digits,
  extremes,
  markerWords,
  rangeWords,
  colour,
  written: (field, name, value) => codecs(field)[name].write(value),
  linked: (field, name, text) => codecs(field)[name].read(text),
  parts: (range, log, values) => values.map(partOf(range, log)),
  heights: (range, log, parts) => parts.map(heightOf(range, log)),
});
