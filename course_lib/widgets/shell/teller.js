// What a widget says aloud: its words when they are others than before, and nothing before the reader has touched something.

import { announcer } from "../drawing/ui.js";

/** tell(text, {first, aloud}): `first` is silent, as the first text is by itself; `aloud`: said in place of the text. */
export function teller() {
  const { el, say } = announcer();
  let last = null;
  function tell(text, { first = last === null, aloud = text } = {}) {
    if (!first && text !== last) say(aloud);
    last = text;
  }
  return { el, tell };
}
