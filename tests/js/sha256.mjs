// SHA-256 of texts, in JavaScript and by the machine's own: for tests/widgets/test_sha256.py.

import { readFileSync } from "node:fs";
import { digest, sha256 } from "../../course_lib/widgets/real_model/engine/sha256.js";

const bytes = JSON.parse(readFileSync(0, "utf8")).map((text) => new TextEncoder().encode(text));
process.stdout.write(JSON.stringify([bytes.map(sha256), await Promise.all(bytes.map(digest))]));
