// Settings of any widget as a link's text and back, by the CODECS of its address.js: for tests/widgets/test_declared_settings.py.

import { sound } from "../../course_lib/widgets/shell/settings.js";
import { answers } from "./answers.mjs";

const codecs = async (room) => (await import(`../../course_lib/widgets/${room}/address.js`)).CODECS;

await answers({
  names: async (room) => Object.keys((await codecs(room)) ?? {}),
  start: async (room, name) => (await codecs(room))[name]?.start,
  written: async (room, name, value) => (await codecs(room))[name].write(value),
  sound: async (room, name, value) => sound((await codecs(room))[name], value),
  linked: async (room, name, text) => (await codecs(room))[name].read(text),
});
