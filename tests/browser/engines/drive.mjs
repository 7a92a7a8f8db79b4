// Drives Firefox or WebKitGTK for tests in Python: a line of JSON in, a line of JSON out.
//
//     node drive.mjs firefox EXECUTABLE     by WebDriver BiDi, with puppeteer
//     node drive.mjs webkit ADDRESS         by the WebDriver that listens there, with selenium
//
// {"do": "open", "url", "width", "dark"} · {"do": "evaluate", "code", "given"}, the code of a function that may be
// async ·
// {"do": "press", "key"} · {"do": "type", "text"} · {"do": "click", "x", "y"}   →   {"value"} or {"error"}

import { createInterface } from "node:readline";

const HEIGHT = 900;
const HANG = 120_000;

async function firefox(executablePath) {
  const { default: puppeteer } = await import("puppeteer-core");
  const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true, protocolTimeout: HANG });
  let page = null;
  return {
    async open({ url, width, dark }) {
      await page?.close();
      page = await browser.newPage();
      await page.setViewport({ width, height: HEIGHT });
      await page.goto(url, { timeout: HANG });
      await page.evaluate(
        (theme) => ["mode", "theme"].forEach((name) => localStorage.setItem(name, theme)),
        dark ? "dark" : "light",
      );
      await page.reload({ timeout: HANG });
    },
    evaluate: ({ code, given }) => page.evaluate(`(${code})(${JSON.stringify(given ?? null)})`),
    press: ({ key }) => page.keyboard.press(key),
    type: ({ text }) => page.keyboard.type(text),
    click: ({ x, y }) => page.mouse.click(x, y),
    close: () => browser.close(),
  };
}

async function webkit(address) {
  const { Builder, Capabilities, Key } = await import("selenium-webdriver");
  const binary = process.env.MINI_BROWSER;
  const wanted = new Capabilities({
    browserName: "MiniBrowser",
    "webkitgtk:browserOptions": { binary, args: ["--automation"] },
  });
  const driver = await new Builder().usingServer(address).withCapabilities(wanted).build();
  await driver.manage().setTimeouts({ script: HANG, pageLoad: HANG });
  const keys = Object.fromEntries(
    ["Up", "Down", "Left", "Right"].map((way) => [`Arrow${way}`, Key[`ARROW_${way.toUpperCase()}`]]),
  );
  Object.assign(keys, { Enter: Key.ENTER, Tab: Key.TAB, Home: Key.HOME, End: Key.END, " ": Key.SPACE });
  const known = (key) => {
    if (key.length > 1 && !(key in keys)) throw new Error(`no key ${key} here: selenium would type its letters`);
    return keys[key] ?? key;
  };
  return {
    async open({ url, width, dark }) {
      await driver.manage().window().setRect({ width, height: HEIGHT });
      await driver.get(url);
      await driver.executeScript(
        "localStorage.setItem('mode', arguments[0]); localStorage.setItem('theme', arguments[0])",
        dark ? "dark" : "light",
      );
      await driver.navigate().refresh();
    },
    async evaluate({ code, given }) {
      const script =
        `const end = arguments[1]; Promise.resolve().then(() => (${code})(arguments[0])).then((value) ` +
        `=> end({ value }), (error) => end({ error: String(error) }));`;
      const { value, error } = await driver.executeAsyncScript(script, given ?? null);
      if (error) throw new Error(error);
      return value;
    },
    press: ({ key }) => driver.actions().sendKeys(known(key)).perform(),
    type: ({ text }) => driver.actions().sendKeys(text).perform(),
    click: ({ x, y }) => driver.actions().move({ x, y }).click().perform(),
    close: () => driver.quit(),
  };
}

const [name, where] = process.argv.slice(2);
const engine = await { firefox, webkit }[name](where);
console.log(JSON.stringify({ value: "ready" }));
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  try {
    console.log(JSON.stringify({ value: (await engine[asked.do](asked)) ?? null }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }
}
await engine.close();
process.exit(0);
