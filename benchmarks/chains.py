"""The chain trainer in its page: how long until its loss is within 0.04 nats a token of the Bayes line? In Chromium, as a reader meets it.

    PYTHONPATH=book/_ext python -m benchmarks.chains        a line for each of five seeds: seconds from the press of Train, updates and distance at the end

Bar: 60 s by the clock, the slowest seed. A run is UPDATES long, which is what tests/browser/test_chain_trainer.py gives it too: that test
asks for the distance, this command for the time. What the machine does meanwhile is in it: the load is printed beside it.
"""

import os
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from course_lib.widgets import ChainTrainer
from studies.chains_in_context import Exam, Setting
from tests.shared.widget_alone import number, reaches, served, settled
from tools.book.printing import QUIET, chromium_path

SEEDS, UPDATES, NEAR, BAR = range(1, 6), 400, 0.04, 60  # BAR in seconds, NEAR in nats a token
TESTED = 64  # sequences on which the widget's loss is taken
# resolves with the seconds from the press until the widget's loss is below `line`
PRESSED = """(root, line) => new Promise((done) => {
  const begun = performance.now();
  [...root.querySelectorAll("button")].find((each) => each.textContent === "Train").click();
  const look = () => Number(root.dataset.exact) < line ? done((performance.now() - begun) / 1000) : setTimeout(look, 20);
  look();
})"""


def bayes() -> float:
    """The Bayes predictor's loss on the widget's test sequences, by the study."""
    return Exam(Setting(), TESTED).lines["bayes"]


def main() -> int:
    line, slowest = bayes(), 0.0
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; Bayes line {line:.3f} nats a token")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=QUIET)
        with served(browser, Path(folder), [ChainTrainer(updates=UPDATES)]) as visit:
            for seed in SEEDS:
                with visit(f"chains.seed={seed}") as page:
                    root = settled(page.locator(".ctr"))
                    seconds = root.evaluate(PRESSED, line + NEAR)
                    reaches(root, "stopped", "x === 'end'")
                    slowest = max(slowest, seconds)
                    print(f"seed {seed}: within {NEAR} after {seconds:.1f} s; after {UPDATES} updates {number(root, 'exact') - line:.3f} above", flush=True)
        browser.close()
    print(f"slowest {slowest:.1f} s (bar {BAR} s)")
    return int(slowest > BAR)


if __name__ == "__main__":
    sys.exit(main())
