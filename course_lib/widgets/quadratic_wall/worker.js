// The worker's entry: a classic worker from a Blob, because a module worker does not start in a page opened from a
// folder.

import { session } from "./measure.js";

const receive = session((message) => postMessage(message));
self.onmessage = (event) => receive(event.data);
