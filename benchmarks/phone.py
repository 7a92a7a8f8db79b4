"""The first minute on a middling phone: 1.6 Mb/s, 150 ms, a processor four times slower. `python -m benchmarks.phone
[BOOK [PAGE …]]`

BOOK is the folder of the built pages (_build/html), PAGE a path below it; without one, a light page, the title page,
and pages with many widgets or formulas. Chromium's devtools slow line and processor down; the server packs text as a
published one does.

    paint     milliseconds to the first content
    ready     milliseconds until all widgets answer that do not wait to come near the screen
    shift     how much the layout jumps until then (cumulative layout shift)
    asked     requests;  kB  what they weigh, gzipped
    work      milliseconds that the page's main thread takes of the slowed processor, of these style, layout and script

Medians of VISITS, each with an empty cache. Bars: 1200 ms to the first content, 3000 ms until all answer, 0.1 of shift.
"""

import gzip
import statistics
import sys
import threading
from contextlib import suppress
from functools import cache, partial
from http.server import ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.shared.pages import ROOT
from tests.shared.vitals import SQUEEZED, visited, vitals, weight
from tools.book.printing import QUIET, chromium_path
from tools.book.serve import Pages

VISITS = 3
LINE = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8}
SLOWER = 4
BARS = {"paint": 1200, "ready": 3000, "shift": 0.1}
PAGES = [
    "book/how_to_read.html",
    "book/index.html",
    "chapters/00_primer/chance.html",
    "chapters/02_attention/seven_steps.html",
    "chapters/03_transformer/attention.html",
    "chapters/03_transformer/explorer.html",
    "chapters/03_transformer/next_word.html",
    "chapters/01_encoder_decoder/sequence_to_sequence.html",
]
WORK = {"work": "TaskDuration", "style": "RecalcStyleDuration", "layout": "LayoutDuration", "script": "ScriptDuration"}


@cache
def packed(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), 6, mtime=0)


class Published(Pages):
    """Keeps its connections, and packs text, as a server of static pages does."""

    protocol_version = "HTTP/1.1"

    def handle(self):
        with suppress(ConnectionError):  # a page that is left hangs up
            super().handle()

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if not path.is_file() or path.suffix in SQUEEZED:
            return super().do_GET()
        body = packed(path)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def slowed(page):
    """The page's devtools, its line and processor slowed down."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Network.emulateNetworkConditions", LINE)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})  # the processor's time, whoever else asks for it
    return devtools


def visit(chromium, html: Path, home: str, page_path: str) -> dict[str, float]:
    devtools = []
    with visited(
        chromium, home, page_path, width=390, height=844, before=lambda page: devtools.append(slowed(page))
    ) as (page, urls):
        page.wait_for_load_state("networkidle")
        found = vitals(page, pause=500)
        measured = {each["name"]: each["value"] for each in devtools[0].send("Performance.getMetrics")["metrics"]}
    costs = {
        "paint": found["paint"],
        "ready": found["ready"],
        "shift": found["shift"],
        "asked": len(urls),
        "kB": weight(html, urls) / 1000,
    }
    return costs | {name: 1000 * measured[metric] for name, metric in WORK.items()}


def main(arguments: list[str]) -> int:
    html = Path(arguments[0] if arguments else ROOT / "_build/html").resolve()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Published, directory=str(html)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    columns, over = ["paint", "ready", "shift", "asked", "kB", *WORK], False
    print(f"{'page':<58}" + "".join(f"{name:>8}" for name in columns))
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=QUIET)
        for page_path in arguments[1:] or PAGES:
            visits = [
                visit(chromium, html, f"http://127.0.0.1:{server.server_port}/", page_path) for _ in range(VISITS)
            ]
            found = {name: statistics.median(each[name] for each in visits) for name in columns}
            beyond = [name for name, bar in BARS.items() if found[name] > bar]
            over |= bool(beyond)
            numbers = "".join(f"{found[name]:8.3f}" if name == "shift" else f"{found[name]:8.0f}" for name in columns)
            print(f"{page_path:<58}{numbers}{'  over the bar: ' + ', '.join(beyond) if beyond else ''}", flush=True)
        chromium.close()
    server.shutdown()
    return int(over)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
