// Only the engine so far; what is seen comes with the page.

export { openModel, offered } from "./engine/open.js";
export default { render() {} };
