"""Every widget twice in a real JupyterLab, and in Notebook 7, with a live kernel: mouse and keys, a kernel that is
busy, both ways between page and Python, saved and opened again, in the dark."""

import importlib.util
import json
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import nbformat
import pytest
from nbformat import v4

from course_lib import widgets
from course_lib.widgets.settings import declared
from tests.shared.engines import free_port, running
from tests.shared.made import ARGUMENTS, NAMES, SETUP
from tests.shared.optional import missing
from tests.shared.pages import HANG, ROOT, context_of
from tools.suite.stages import PYTHON

pytestmark = pytest.mark.jupyter
# Module that is started → where it opens a notebook.
APPLICATIONS = {"jupyterlab": "lab/tree/", "notebook": "notebooks/"}
# All cells are drawn, not only those on the screen; JupyterLab asks nothing about its news; it is dark.
SETTINGS = {
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false"},
    "@jupyterlab/apputils-extension:themes": {"theme": "JupyterLab Dark"},
}
BUSY = 25  # seconds: longer than any widget's patience
SHOW = """
import time
from course_lib.exercises import *
from course_lib.widgets import ask
made = {}
def show(name, widget):
    made[name] = widget
    return widget
"""
# Its code takes as long to load as on a loaded machine: anywidget gives up on it after two seconds.
SLOW = """
slow = widgets.Positions(_esm="await new Promise((done) => setTimeout(done, 4000));\\n" + widgets.Positions()._esm)
slow
"""
EXERCISES = {
    "value": "Value(id='v', question='1 + 1?', answer=2.0, tolerance=0.1, hints=['a', 'b', 'c'], solution='2')",
    "arrange": (
        "Arrange(id='a', question='in order?', steps=[Step(text, 'w') for text in ('one', 'two', 'three')], "
        "hints=['a', 'b', 'c'], solution='1, 2, 3')"
    ),
    "sketch": (
        "Sketch(id='s', question='draw', x=[0, 1, 2], low=0, high=1, within=0.1, x_title='x', y_title='y', "
        "curve=[0, 0.5, 1], hints=['a', 'b', 'c'], solution='x/2')"
    ),
    "formula": (
        "Formula(id='f', question='half of x?', answer='x/2', variables={'x': (1, 2)}, left='h', hints=['a', 'b', "
        "'c'], solution='x/2')"
    ),
}


def notebook() -> nbformat.NotebookNode:
    """Setup, each widget in a cell, a long cell, each widget once more, and an empty cell for what is asked later."""
    first = [f"show({name!r}, widgets.{name}({ARGUMENTS.get(name, '')}))" for name in NAMES]
    cards = [f"show({kind!r}, ask({code}))" for kind, code in EXERCISES.items()]
    again = [SLOW, *(f"made[{name!r}]" for name in NAMES)]
    cells = [SETUP + SHOW, *first, *cards, f"time.sleep({BUSY})", *again, "pass"]
    return v4.new_notebook(
        cells=[v4.new_code_cell(cell) for cell in cells],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )


@contextmanager
def started(module: str, folder: Path):
    """The address of a JupyterLab or Notebook 7 over the folder; its settings, kernels and history are its own."""
    if importlib.util.find_spec(module) is None:
        missing(f"{module} is not installed: pip install --no-deps -r requirements/notebook.txt")
    places = {
        name: str(folder / ".jupyter" / name)
        for name in (
            "JUPYTER_CONFIG_DIR",
            "JUPYTER_DATA_DIR",
            "JUPYTER_RUNTIME_DIR",
            "JUPYTERLAB_SETTINGS_DIR",
            "JUPYTERLAB_WORKSPACES_DIR",
            "IPYTHONDIR",
        )
    }
    ours = json.loads((ROOT / "binder" / "overrides.json").read_text(encoding="utf-8"))
    for name, values in (ours | SETTINGS).items():
        package, plugin = name.split(":")
        file = Path(places["JUPYTERLAB_SETTINGS_DIR"]) / package / f"{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
    port = free_port()
    options = [
        "--no-browser",
        "--allow-root",
        "--expose-app-in-browser",
        "--IdentityProvider.token=",
        "--ServerApp.password=",
        f"--ServerApp.port={port}",
        f"--ServerApp.root_dir={folder}",
    ]
    with running(PYTHON, "-m", module, *options, environment=places):
        address, end = f"http://127.0.0.1:{port}/", time.monotonic() + 120
        while True:
            try:
                urlopen(f"{address}api/status", timeout=5)
                break
            except OSError:
                assert time.monotonic() < end, f"{module} does not start"
                time.sleep(0.2)
        yield address


@pytest.fixture(scope="module", params=["jupyterlab", pytest.param("notebook", marks=pytest.mark.weekly)])
def lab(request, tmp_path_factory):
    """Where it opens the notebook, the server's address, its folder."""
    folder = tmp_path_factory.mktemp(request.param)
    nbformat.write(notebook(), folder / "all.ipynb")
    with started(request.param, folder) as address:
        yield f"{address}{APPLICATIONS[request.param]}all.ipynb", address, folder


@contextmanager
def opened_in(browser, place: str):
    context = context_of(browser, viewport={"width": 1400, "height": 1000}, color_scheme="dark")
    page = context.new_page()
    page.goto(place)
    page.wait_for_selector(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell")
    page.wait_for_function("globalThis.jupyterapp?.commands.hasCommand('notebook:run-all-cells')")
    page.wait_for_function(
        "globalThis.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
    )
    try:
        yield page
    finally:
        context.close()


def command(page, name: str, **arguments: object) -> None:
    """Begin a command. What it gives is not waited for: it may be the whole notebook."""
    page.evaluate("([name, given]) => { globalThis.jupyterapp.commands.execute(name, given); }", [name, arguments])


def roots(page):
    return page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) :is(.course-ui, .course-exercise)")


def kernel(page, code: str) -> str:
    """Run code in the notebook's kernel; what it prints."""
    return page.evaluate(
        """async (code) => {
          const panel = globalThis.jupyterapp.shell.currentWidget;
          const future = panel.sessionContext.session.kernel.requestExecute({ code });
          let text = "";
          future.onIOPub = (message) => { if (message.header.msg_type === "stream") text += message.content.text; };
          const reply = await future.done;
          if (reply.content.status !== "ok") throw Error(reply.content.evalue);
          return text;
        }""",
        code,
    )


@pytest.fixture(scope="module")
def run(browser, lab):
    with opened_in(browser, lab[0]) as page:
        command(page, "notebook:run-all-cells")
        page.wait_for_function(
            f"document.querySelectorAll('.jp-NotebookPanel :is(.course-ui, .course-exercise)').length >= "
            f"{len(NAMES) + len(EXERCISES)}"
        )
        yield page


def seen(page, number: int):
    """The root of the widget of this number, on the screen and drawn."""
    root = roots(page).nth(number)
    root.scroll_into_view_if_needed()
    page.wait_for_function(
        "root => root.getAttribute('aria-busy') !== 'true' && root.textContent.trim().length > 20",
        arg=root.element_handle(),
    )
    return root


def test_all_widgets_draw_while_the_kernel_is_busy(run):
    page = run
    for number in range(len(NAMES) + len(EXERCISES)):
        seen(page, number)
    assert "did not arrive" not in page.locator(".jp-Notebook").inner_text()


def test_keys_belong_to_the_widget_in_which_they_are_pressed(run):
    page = run
    count = page.evaluate("globalThis.jupyterapp.shell.currentWidget.content.widgets.length")
    moved = 0
    for number in range(len(NAMES)):
        dials = seen(page, number).locator("input[type=range]:not([disabled]):visible")
        if not dials.count():
            continue
        dial = dials.first.element_handle()  # what it changes may disable it
        dial.scroll_into_view_if_needed()
        dial.focus()
        before, end = dial.input_value(), dial.get_attribute("max")
        for key in ("x", "b", "ArrowLeft" if before == end else "ArrowRight"):
            page.keyboard.press(key)
        assert dial.input_value() != before, NAMES[number]
        moved += 1
    assert moved >= 12
    assert page.evaluate("globalThis.jupyterapp.shell.currentWidget.content.widgets.length") == count


# The first setting that may change: what an author chooses for good is refused.
CHANGE = """
for key, value in {others}.items():
    try:
        setattr(made[{name!r}], key, value)
        print(key)
        break
    except ValueError:
        pass
"""


def ended(page) -> None:
    """The whole notebook has run without a fault, and every widget of it is there."""
    page.wait_for_function(
        (
            f"document.querySelector('.jp-RenderedText[data-mime-type*=stderr]') || "
            f"document.querySelectorAll('.jp-NotebookPanel .course-ui').length === {2 * len(NAMES) + 1}"
        ),
        timeout=4 * HANG,
    )
    assert page.locator(".jp-RenderedText[data-mime-type*=stderr]").all_inner_texts() == []


def test_python_moves_the_picture_and_the_picture_moves_python(run):
    page = run
    ended(page)
    hand = roots(page).nth(NAMES.index("AttentionByHand"))
    assert float(kernel(page, "print(made['AttentionByHand'].temperature)")) == pytest.approx(
        float(hand.get_attribute("data-temperature"))
    )
    for number, name in enumerate(NAMES):
        others = OTHERS.get(name) or {
            key: wanted
            for key, each in declared(getattr(widgets, name)).items()
            if (wanted := another(each)) is not None
        }
        view = roots(page).nth(number)
        view.scroll_into_view_if_needed()
        before = view.evaluate("root => root.outerHTML")
        assert kernel(page, CHANGE.format(name=name, others=others)), name
        page.wait_for_function("([root, before]) => root.outerHTML !== before", arg=[view.element_handle(), before])


def test_a_widget_that_was_slow_to_load_still_hears_python(run):
    page = run
    ended(page)
    slow = roots(page).nth(len(NAMES) + len(EXERCISES))
    slow.scroll_into_view_if_needed()
    kernel(page, "slow.n = 64")
    page.wait_for_function(
        "root => root.innerText.includes('64') || root.outerHTML.includes('data-n=\"64\"')", arg=slow.element_handle()
    )


# Where all that a widget takes is its author's, as the columns of a table are.
OTHERS = {"StudyTable": {"sort": "-variant"}}


def another(each: dict) -> object:
    """A value that the setting takes and does not begin with; None where that cannot be told from its declaration."""
    low_high = each.get("takes", ())
    if each["kind"] in ("whole", "number") and isinstance(each["default"], int | float) and "none" not in each:
        return low_high[0] if each["default"] != low_high[0] else low_high[1]
    if each["kind"] in ("option", "order"):
        return next((option for option in low_high if option != each["default"]), None)
    if each["kind"] == "numbers" and "none" not in each:
        return [low_high[0]] * each["counts"][0]
    return None


def test_a_card_is_answered(run):
    page = run
    card = page.locator(".course-exercise").first
    card.scroll_into_view_if_needed()
    card.locator("input").first.fill("2")
    page.keyboard.press("Enter")
    page.wait_for_function("card => card.innerText.includes('✓')", arg=card.element_handle())
    steps = page.locator(".course-exercise").filter(has_text="in order?")
    steps.scroll_into_view_if_needed()
    for text in ("three", "two", "one"):
        button = steps.get_by_role("button", name=f"Up: {text}")
        while button.is_enabled():
            button.press("Enter")
    steps.get_by_role("button", name="Check").press("Enter")
    page.wait_for_function("card => card.innerText.includes('✓')", arg=steps.element_handle())


def test_saved_and_opened_again_without_a_kernel_the_widgets_are_there(run, browser, lab):
    from playwright.sync_api import TimeoutError

    place, address, folder = lab
    command(run, "docmanager:save")
    run.wait_for_function("!globalThis.jupyterapp.shell.currentWidget.context.model.dirty")
    saved = nbformat.read(folder / "all.ipynb", as_version=4)
    assert "object at 0x" not in json.dumps(saved.cells)
    for session in json.loads(urlopen(f"{address}api/sessions").read()):
        run.evaluate("id => fetch(`/api/sessions/${id}`, { method: 'DELETE' })", session["id"])
    # On a loaded machine ipywidgets may say that the saved state was read before it was, writes "model not found" and
    # never draws again: a reader opens the notebook once more, and so does this test.
    for last in (False, False, True):
        with opened_in(browser, place) as page:
            page.wait_for_function(f"document.querySelectorAll('.jp-NotebookPanel .course-ui').length >= {len(NAMES)}")
            try:
                page.wait_for_function(
                    "!document.querySelector('.jp-Notebook').innerText.includes('model not found')",
                    timeout=60_000 if last else 20_000,
                )
            except TimeoutError:
                if last:
                    raise
                continue
            grounds = roots(page).evaluate_all("roots => roots.map((root) => getComputedStyle(root).backgroundColor)")
            break
        assert "rgb(255, 255, 255)" not in grounds  # JupyterLab is dark here
