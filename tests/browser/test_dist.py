"""The folder for a USB stick: complete, safe on every file system, alive by double click."""

import zipfile
from pathlib import Path

import pytest

from tests.shared.pages import listed, opened
from tools.book import dist

SMALL = {
    "book/index.html": '<link rel="stylesheet" href="../_static/a.css"><a href="../x/b.html#here">b</a>',
    "x/b.html": '<p id="here"><a href="https://example.org/">outside is fine for a link</a>',
    "_static/a.css": "p { background: url(p.png) }",
    "404.html": '<script src="/_static/a.js"></script>',
    ".buildinfo": "x",
}


def built(folder: Path, **more: str) -> Path:
    for name, text in (SMALL | more).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_the_folder_has_what_a_person_looks_for(tmp_path):
    folder = dist.dist(built(tmp_path / "html"), tmp_path / "dist")
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert names == {"Open me.html", "README.txt", "LICENSE.txt", "VERSION.txt",
                     "pages/book/index.html", "pages/x/b.html", "pages/_static/a.css"}  # fmt: skip
    assert 'url=pages/book/index.html"' in (folder / "Open me.html").read_text()
    with zipfile.ZipFile(folder.with_name(f"{folder.name}.zip")) as archive:
        assert {name.removeprefix(f"{folder.name}/") for name in archive.namelist() if not name.endswith("/")} == names
    assert dist.version() in folder.name and "double click" in (folder / "README.txt").read_text()


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        (
            "x/b.html",
            '<p id="here"><script src="https://cdn.example.org/a.js"></script>',
            "https://cdn.example.org/a.js",
        ),
        ("x/b.html", '<p id="here"><img src="/_static/a.png">', "/_static/a.png"),
        ("x/b.html", '<p id="here"><a href="gone.html">', "leads nowhere"),
        ("_static/a.css", "@import 'https://fonts.example/a.css'", "fonts"),
    ],
)
def test_what_needs_a_server_is_refused(tmp_path, name, text, fault):
    with pytest.raises(ValueError, match="would not work from a folder") as found:
        dist.dist(built(tmp_path / "html", **{name: text}), tmp_path / "dist")
    assert fault in str(found.value)


@pytest.mark.parametrize(
    "name",
    ["a:b.js", "what?.html", "aux.html", "x/con", "dot./a", "x" * 121, "/".join(["folder"] * 30), "Fine/name-1.0.html"],
)
def test_names_that_windows_refuses_or_mixes_up_are_found(name):
    assert len(dist.fragile_names([name, "fine/name-1.0.html"])) == 1


@pytest.mark.book
def test_the_book_itself_fits_on_a_stick(book, tmp_path):
    folder = tmp_path / "stick"
    dist.collect(book, folder)
    assert dist.faults(folder) == []
    assert [page for page in listed() if not (folder / "pages" / page).is_file()] == []


@pytest.mark.browser
def test_a_double_click_opens_the_book_with_widgets_running(browser, book, tmp_path):
    folder = tmp_path / "USB stick, é"
    dist.collect(book, folder)
    with opened(browser, (folder / dist.START).as_uri(), wait=False) as (page, troubles):
        page.wait_for_url("**/pages/book/index.html")
        page.wait_for_selector("html[data-course-ready]")
        widget = page.locator(".abh").first
        before = widget.locator(".abh-words").inner_text()
        widget.locator(".abh-token").first.focus()
        for _ in range(8):
            page.keyboard.press("ArrowRight")
        page.wait_for_function("before => document.querySelector('.abh .abh-words').innerText !== before", arg=before)
        assert troubles == []
