"""A real model's parts in the page: asked for by a press alone, compared, kept, gone on with; then the model answers
from its worker."""

import shutil

import numpy as np
import pytest
import torch

from tests.shared.pages import opened
from tests.shared.real_model_page import served, write_page
from tests.shared.small_language_model import CONFIG, small_language_model
from tools.page import model_parts

TOKENS = [5, 17, 2, 44, 5, 9]
OTHER = [5, 17, 3, 44, 5, 9]
OPEN = """async (asked) => {
  const name = asked ?? "small";
  await ready;
  globalThis.told = [];
  try { globalThis.model = await engine.openModel({ name, worker, onProgress: (each) => told.push(each) });
    return null; }
  catch (error) { return error.message; }
}"""
# between two tries
HURRY = "() => { const wait = setTimeout; globalThis.setTimeout = (done, ms) => wait(done, Math.min(ms, 10)); }"
RUN = "async (tokens) => { const { logits, maps } = await model.run(tokens); return [[...logits], maps.length]; }"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The site's folder, the reader, and the manifest."""
    folder = tmp_path_factory.mktemp("site")
    made, lm = small_language_model(folder / "_static" / "models")
    manifest = model_parts.read_manifest(made)
    write_page(folder, {"small": {"title": "Small", "bytes": manifest["bytes"], "memory": 1}})
    with served(folder) as home:
        yield folder, lm, manifest, home


@pytest.fixture
def visit(browser, small):
    """A new browser's page, and the addresses that it asks for. What is refused on purpose may be named in the
    console."""
    context = browser.new_context()
    page = context.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(small[3] + "page.html")
    yield page, asked
    context.close()


def of_parts(asked: list[str]) -> list[str]:
    return [url.rpartition("/")[2] for url in asked if "/models/" in url and url.endswith(".bin")]


def assert_it_reads(page, lm):
    logits, maps = page.evaluate(RUN, TOKENS)
    with torch.no_grad():
        want = lm.unembed(lm.forward(torch.tensor([TOKENS]), lm.start())[0][-1][0, -1])
    np.testing.assert_allclose(logits, want.numpy(), atol=2e-3 * float(want.abs().max()))
    assert maps == CONFIG["layers"] * CONFIG["heads"] * len(TOKENS) ** 2


def test_nothing_is_fetched_before_it_is_asked_for_and_nothing_twice(visit, small):
    page, asked = visit
    page.evaluate("ready")
    assert page.evaluate("engine.offered().small.bytes") == small[2]["bytes"]
    assert not page.evaluate("engine.kept('small')")
    assert not any("/models/" in url for url in asked)
    assert page.evaluate(OPEN) is None
    assert of_parts(asked) == [f"{part['file']}.bin" for part in small[2]["parts"]]
    assert {url.partition("/page.html")[0].rstrip("/") for url in asked if url.startswith("http")} >= {
        small[3].rstrip("/")
    }
    assert all(url.startswith((small[3], "blob:", "data:")) for url in asked)  # no other host
    assert page.evaluate("told.at(-1).loaded") == page.evaluate("told.at(-1).total") == small[2]["bytes"]
    assert page.evaluate("model.kind") == "worker" and page.evaluate("model.vocabulary.kind") == "none"
    assert_it_reads(page, small[1])
    asked.clear()
    page.reload()
    page.evaluate("ready")
    assert page.evaluate("engine.kept('small')")
    assert page.evaluate(OPEN) is None and of_parts(asked) == []
    assert page.evaluate("told.every((each) => each.stage !== 'download' || each.fromCache)")
    assert_it_reads(page, small[1])
    page.evaluate("engine.forget('small')")
    assert not page.evaluate("engine.kept('small')")


def test_a_broken_download_goes_on_where_it_stopped(visit, small):
    page, asked = visit
    third = small[2]["parts"][2]["file"]
    page.evaluate(HURRY)
    page.route(f"**/{third}.bin", lambda route: route.abort())
    said = page.evaluate(OPEN)
    assert said.startswith("The model's files stopped coming after 0 of 0 MB") and "What came is kept" in said
    assert of_parts(asked).count(f"{third}.bin") == 3  # it has been tried again
    page.unroute(f"**/{third}.bin")
    asked.clear()
    assert page.evaluate(OPEN) is None
    assert of_parts(asked) == [f"{part['file']}.bin" for part in small[2]["parts"][2:]]
    assert_it_reads(page, small[1])


def test_a_part_with_other_bytes_is_refused_and_not_kept(visit, small):
    page, asked = visit
    second = small[2]["parts"][1]
    page.evaluate(HURRY)
    page.route(f"**/{second['file']}.bin", lambda route: route.fulfill(body=bytes(second["bytes"])))
    assert "what arrived is not what was sent" in page.evaluate(OPEN)
    page.unroute(f"**/{second['file']}.bin")
    asked.clear()
    assert page.evaluate(OPEN) is None and of_parts(asked)[0] == f"{second['file']}.bin"


def test_a_store_that_was_spoilt_is_fetched_again(visit, small):
    page, asked = visit
    assert page.evaluate(OPEN) is None
    first = f"{small[2]['parts'][0]['file']}.bin"
    page.evaluate(
        (
            "async (file) => (await caches.open('course-models-1')).put(`${__course.root}models/small/${file}`, "
            "new Response('x'))"
        ),
        first,
    )
    asked.clear()
    assert page.evaluate(OPEN) is None and of_parts(asked) == [first]


def test_cells_come_one_after_the_other_and_stop_when_told(visit, small):
    page, _ = visit
    page.evaluate(OPEN)
    said = page.evaluate(
        """async ([clean, dirty]) => {
          const came = [], stop = new AbortController(), options = { yes: 5, no: 6, onCells: (cells) =>
            came.push(...cells) };
          const { cells } = await model.patchMap(clean, dirty, options);
          stop.abort();
          const refused = await model.patchMap(clean, dirty, { ...options, signal: stop.signal }).catch((error) =>
            error.name);
          const wrong = await model.run([60]).catch((error) => error.message);
          return [cells.length, came.length, refused, wrong, (await model.next(clean)).length];
        }""",
        [TOKENS, OTHER],
    )
    cells = CONFIG["layers"] * (len(TOKENS) - 2)
    assert said == [cells, cells, "AbortError", "tokens must be whole numbers from 0 to 59, got 60", CONFIG["vocab"]]


def test_without_workers_the_page_itself_computes(visit, small):
    page, _ = visit
    page.evaluate("() => { globalThis.Worker = class { constructor() { throw Error('forbidden'); } }; }")
    assert page.evaluate(OPEN) is None and page.evaluate("model.kind") == "page"
    assert_it_reads(page, small[1])


def test_from_a_folder_the_parts_come_as_scripts(browser, small, tmp_path):
    shutil.copytree(small[0], tmp_path / "stick")
    model_parts.scripts(tmp_path / "stick" / "_static" / "models")
    assert not list((tmp_path / "stick").rglob("*.bin"))
    with opened(browser, (tmp_path / "stick" / "page.html").as_uri()) as (page, troubles):
        assert page.evaluate(OPEN) is None
        assert_it_reads(page, small[1])
        assert troubles == []


def test_what_the_book_does_not_carry_is_said(visit):
    page, _ = visit
    assert page.evaluate(OPEN, "large") == "This book was made without the model's files."
