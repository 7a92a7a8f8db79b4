"""The labs in JupyterLite, inside the built site: opened in Chromium and Firefox, run to the end, answered. For `make
test-all`.

The site is served below a sub-path, as on a project's public pages; Chromium is watched: it may ask nobody else.
"""

import importlib.util
import re
import threading
import time
import zipfile

import nbformat
import pytest

from tests.shared.engines import firefox
from tests.shared.optional import missing
from tests.shared.pages import outside
from tools.environments.lab_run import verdicts
from tools.environments.lite import LABS
from tools.repository import ROOT

RUN_TIMEOUT = 600  # seconds; a lab takes about a minute on an idle machine
ALL = [*LABS, *(f"solutions/{name}" for name in LABS)]
pytestmark = pytest.mark.lite

# How far a lab is, and what stands in it. A folded cell has no prompt.
READ = """() => {
  const texts = (selector) => [...document.querySelectorAll(selector)].map((node) => node.innerText);
  const wrong = ["error", "stderr"].map((kind) => `[data-mime-type='application/vnd.jupyter.${kind}']`).join();
  return {
    idle: document.querySelector(".jp-Notebook-ExecutionIndicator")?.dataset.status === "idle",
    prompts: texts(".jp-CodeCell .jp-InputPrompt").map((text) => text.trim()),
    wrong: texts(wrong),
    said: texts(".jp-OutputArea-output.jp-RenderedMarkdown"),
    figures: texts(".js-plotly-plot .main-svg").length,
    cards: texts(".course-exercise").length,
  };
}"""


@pytest.fixture(scope="session")
def lite(tmp_path_factory):
    """site/course/lite, with site/course for the rest of the book."""
    if importlib.util.find_spec("jupyterlite_core") is None:
        missing("JupyterLite is not installed: make lite, or pip install --no-deps -r requirements/lite.txt")
    from tools.environments import lite

    book = tmp_path_factory.mktemp("site") / "course"
    book.mkdir()
    made = lite.build(book)
    print(f"\nlite/: {lite.weight(made):.0f} MB")
    return made


@pytest.fixture(scope="session")
def address(lite):
    from tools.book.serve import server

    pages = server(lite.parent.parent)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{pages.server_port}/course/lite/"
    pages.shutdown()


def ended(read, run_all) -> dict:
    """Runs all cells and waits for the last: what then stands in the lab."""

    def until(reached, seconds=RUN_TIMEOUT) -> dict:
        end = time.monotonic() + seconds
        while not reached(found := read()) and time.monotonic() < end:
            time.sleep(0.5)
        return found

    def begun(now) -> bool:
        return bool(re.search(r"\[[*\d]", " ".join(now["prompts"])))

    found = until(lambda now: now["prompts"] and now["idle"])
    for _ in range(20):  # what is asked of a kernel that only seems ready is lost
        if not begun(found):
            run_all()
            found = until(begun, seconds=10)
    return until(lambda now: begun(now) and now["idle"] and "*" not in "".join(now["prompts"]))


@pytest.fixture
def lab(browser, address, request):
    """A function that opens a lab and runs all its cells; at the end nothing may have gone outside, failed or been
    missing."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(60_000)
    asked, troubles, home = [], [], address.split("/", 3)[:3]
    context.on("request", lambda each: asked.append(each.url))
    context.on("response", lambda each: troubles.append(f"{each.status}: {each.url}") if each.status >= 400 else None)
    context.on("weberror", lambda each: troubles.append(str(each.error)))
    page = context.new_page()

    def run(name):
        page.goto(f"{address}open.html?path={name}")
        page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()

        def run_all():
            page.get_by_role("menuitem", name="Run", exact=True).click()
            page.get_by_text("Run All Cells", exact=True).click()

        ended(lambda: page.evaluate(READ), run_all)
        return page

    yield run
    context.close()
    assert any("/numpy-" in url for url in asked), "the worker in which Python runs was not heard"
    assert [url for url in asked if outside(url, home)] == [] == troubles


def holds(name: str, found: dict) -> None:
    """No error, and its checks say what they say in the stored notebook."""
    assert found["wrong"] == []
    shown = [text[0] for text in found["said"] if re.match("[✓✗?] ", text)]
    assert shown == verdicts(nbformat.read(ROOT / "labs" / f"{name}.ipynb", as_version=4))
    prompts = " ".join(found["prompts"])
    assert len(re.findall(r"\[\d+\]", prompts)) > 10 and not re.search(r"\[\s*\]", prompts)
    assert found["figures"] >= 1 and found["cards"] >= 1


@pytest.mark.browser
@pytest.mark.parametrize("name", ALL)
def test_a_lab_runs_to_its_end(lab, name):
    holds(name, lab(f"{name}.ipynb").evaluate(READ))


@pytest.fixture(scope="module")
def fox():
    with firefox() as engine:
        yield engine


@pytest.mark.parametrize("name", ALL)
def test_a_lab_runs_to_its_end_in_firefox(fox, address, name):
    def run_all():
        fox.click(".lm-MenuBar-item", "Run") and fox.click(
            ".lm-Menu-item", "Run All Cells"
        )  # a click on an open menu closes it

    fox.open(f"{address}notebooks/index.html?path={name}.ipynb")
    holds(name, ended(lambda: fox.evaluate(READ), run_all))


@pytest.mark.browser
def test_answers_are_checked(lab):
    page = lab("universality.ipynb")
    card = page.locator(".course-exercise", has_text="Only through rounding.")
    for option, word in (("Only through rounding.", "Not yet"), ("Yes. Another measure", "Yes: compare")):
        card.locator(".course-option", has_text=option).click()
        card.get_by_role("button", name="Check").click()
        card.locator(".course-result", has_text=word).wait_for()
    cell = page.locator(".jp-CodeCell", has=page.locator(".cm-line", has_text="def factor(theta, g, eta):")).last
    for line, word in (
        ("theta + g / 2", "That is outside"),
        ("max(1 - g * (0.5 - eta), theta + g / 2)", "Right on all"),
    ):
        cell.locator(".cm-content").click()
        page.keyboard.press("Control+A")
        page.keyboard.insert_text(f"@checked(step_1, by_rule)\ndef factor(theta, g, eta):\n    return {line}")
        page.keyboard.press("Control+Enter")
        cell.locator(".jp-OutputArea-output", has_text=word).first.wait_for()


@pytest.mark.browser
def test_the_page_from_a_folder_says_what_to_do(lite, browser):
    page = browser.new_page()
    page.goto((lite / "open.html").as_uri() + f"?path={LABS[0]}.ipynb")
    assert "needs a web server" in page.locator("#text").inner_text()
    page.close()


def test_the_wheel_asks_for_what_the_site_has(lite):
    """Every requirement of every wheel is met by another one here, by Pyodide, or by the kernel's stand-ins."""
    served = {re.split(r"-\d", path.name)[0].lower().replace("_", "-") for path in lite.rglob("*.whl")}
    (course,) = (lite / "pypi").glob("course_lib-*.whl")
    with zipfile.ZipFile(course) as wheel:
        names = wheel.namelist()
        metadata = wheel.read(next(name for name in names if name.endswith("METADATA"))).decode()
    needs = [need for need in re.findall(r"^Requires-Dist: ([\w-]+)(.*)$", metadata, re.M) if "extra ==" not in need[1]]
    assert {name for name, _ in needs} == {"numpy", "jaxtyping", "anywidget", "ipywidgets", "plotly", "tqdm"} <= served
    assert "course_lib/widgets/dist/exercise.js" in names
    assert {"torch.py", "tiny/tensor.py", "course_lib/models/towns.safetensors"} <= set(names)
    assert not any(name.endswith(".json") and name.startswith("course_lib/results/") for name in names)
