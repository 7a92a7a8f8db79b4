"""Firefox and WebKitGTK for tests: each a process that is given one command after the other
(tests/browser/engines/drive.mjs)."""

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tests.shared.graph_node import NODE
from tests.shared.optional import missing
from tools.book.serve import Pages
from tools.page.frontend import npm_install

FOLDER = Path(__file__).parents[1] / "browser" / "engines"
MINI_BROWSERS = ("/usr/lib/*/webkit2gtk-4.*/MiniBrowser", "/usr/libexec/webkit2gtk-4.*/MiniBrowser")
# Before anything else of a page: what goes wrong is kept where a driver without a console can read it.
EAR = """<script>
  window.troubles = [];
  addEventListener("error", (event) => troubles.push(String(event.message ?? event.target?.src ?? event.target?.href)),
    true);
  addEventListener("unhandledrejection", (event) => troubles.push(String(event.reason)));
  const said = console.error;
  console.error = (...words) => { troubles.push(words.join(" ")); said(...words); };
</script>""".replace("\n", "")

MIDDLE = """async ([selector, words]) => {
  for (let i = 0; i < 100; i++) {
    const found = [...document.querySelectorAll(selector)].find((node) => node.textContent.trim().startsWith(words));
    const { x, y, width, height } = found?.getBoundingClientRect() ?? {};
    if (width) return [Math.round(x + width / 2), Math.round(y + height / 2)];
    await new Promise((done) => setTimeout(done, 50));
  }
  return null;
}"""


class Engine:
    """One browser. `evaluate` takes the code of a JavaScript function, which may be async, and what it is given."""

    def __init__(self, name: str, where: str, environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [NODE, FOLDER / "drive.mjs", name, where],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | (environment or {}),
        )
        self.answer()

    def answer(self) -> object:
        line = self.process.stdout.readline()
        assert line, "the browser did not start or has ended"
        told = json.loads(line)
        assert "error" not in told, told.get("error")
        return told["value"]

    def ask(self, do: str, **more: object) -> object:
        self.process.stdin.write(json.dumps({"do": do} | more) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def open(self, url: str, width: int = 1280, dark: bool = False) -> None:
        self.ask("open", url=url, width=width, dark=dark)

    def evaluate(self, code: str, given: object = None) -> object:
        return self.ask("evaluate", code=code, given=given)

    def press(self, key: str) -> None:
        self.ask("press", key=key)

    def type(self, text: str) -> None:
        self.ask("type", text=text)

    def click(self, selector: str, words: str) -> bool:
        """In the middle of the first of these elements that begins with these words; False where none comes in five
        seconds."""
        if place := self.evaluate(MIDDLE, [selector, words]):
            self.ask("click", x=place[0], y=place[1])
        return bool(place)

    def close(self) -> None:
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


def needed(*programs: str) -> list[str]:
    """Where these programs are; without one the test is skipped with a word, and fails in CI."""
    found = [shutil.which(program) for program in programs]
    if None in found:
        missing(f"{programs[found.index(None)]} is missing: apt install firefox-esr webkit2gtk-driver xvfb")
    return found


@contextmanager
def firefox() -> Iterator[Engine]:
    [program] = needed("firefox-esr" if shutil.which("firefox-esr") else "firefox")  # Debian's name, everybody else's
    npm_install(FOLDER)
    engine = Engine("firefox", program)
    try:
        yield engine
    finally:
        engine.close()


@contextmanager
def running(*command: str, environment: dict[str, str] | None = None) -> Iterator[subprocess.Popen]:
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ | (environment or {})
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(20)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def listening(port: int) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with socket.socket() as there:
            if there.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"nothing listens on port {port}")


@contextmanager
def webkit() -> Iterator[Engine]:
    """MiniBrowser on a screen of its own; as root it has no sandbox."""
    xvfb, driver = needed("Xvfb", "WebKitWebDriver")
    browser = next((path for pattern in MINI_BROWSERS for path in Path("/").glob(pattern[1:])), None)
    if browser is None:
        missing("MiniBrowser of WebKitGTK is missing: apt install webkit2gtk-driver")
    npm_install(FOLDER)
    with ExitStack() as stack:
        screen = stack.enter_context(running(xvfb, "-displayfd", "1", "-screen", "0", "1400x1000x24"))
        display = {"DISPLAY": f":{screen.stdout.readline().strip()}", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
        port = free_port()
        stack.enter_context(running(driver, f"--port={port}", environment=display))
        listening(port)
        engine = Engine("webkit", f"http://127.0.0.1:{port}", display | {"MINI_BROWSER": str(browser)})
        stack.callback(engine.close)
        yield engine


class Heard(Pages):
    """Serves a folder; an HTML page begins with EAR."""

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if path.suffix != ".html" or not path.is_file():
            return super().do_GET()
        body = path.read_text(encoding="utf-8").replace("<head>", f"<head>{EAR}", 1).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def heard(folder: Path) -> Iterator[str]:
    """The address of a folder whose pages keep their troubles in `troubles`."""
    pages = ThreadingHTTPServer(("127.0.0.1", 0), partial(Heard, directory=str(folder)))
    Thread(target=pages.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{pages.server_port}/"
    pages.shutdown()
    pages.server_close()
