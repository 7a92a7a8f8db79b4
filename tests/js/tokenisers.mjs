// What the page's two tokenisers make of texts, for tests/widgets/test_tokenisers.py: reads {files: {name: path}, lines, all}, gives of each
// its ids and of the ids in `all` the texts.

import { readFileSync } from "node:fs";
import { bytePairs } from "../../course_lib/widgets/real_model/tokenisers/byte_pairs.js";
import { wordPieces } from "../../course_lib/widgets/real_model/tokenisers/word_pieces.js";

const { vocabularies, lines } = JSON.parse(readFileSync(0, "utf8"));
const made = {};
for (const [name, open] of Object.entries({ bytePairs, wordPieces })) {
  const tokeniser = open(vocabularies[name]);
  const ids = lines.map(tokeniser.encode);
  made[name] = { ids, pieces: Array.from({ length: tokeniser.pieces }, (_, id) => tokeniser.piece(id)) };
  if (tokeniser.text) made[name].texts = ids.map(tokeniser.text);
}
process.stdout.write(JSON.stringify(made));
