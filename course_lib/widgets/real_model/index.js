// Only the engine so far; what is seen comes with the page.

export { forget, kept, offered, openModel } from "./engine/open.js"; // for tests and the benchmark

export default { render() {} };
