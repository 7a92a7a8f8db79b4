"""Links of the built book lead somewhere; the checker itself sees each kind of broken link."""

import pytest

from tools.book import links


@pytest.mark.book
def test_every_link_inside_the_book_leads_somewhere(book):
    assert links.inside(links.read(book), book) == []


def pages(folder, **texts):
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text)
    return links.inside(links.read(folder), folder)


def test_a_good_page_is_quiet(tmp_path):
    assert (
        pages(
            tmp_path,
            a=(
                '<a href="b.html#x">b</a><a href="#">top</a><a href="?q=1#y">y</a><a '
                'href="https://example.org/a?b=c#d">out</a><p id="y">'
            ),
            b='<p id="x">',
        )
        == []
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('<a href="nowhere.html">', "leads nowhere"),
        ('<a href="b.html#gone">', "names an anchor that b.html does not have"),
        ('<a href="#gone">', "names an anchor that a.html does not have"),
        ('<p id="x"><p id="x">', "id 'x' is used twice"),
        ('<a href="../b.myst.md">', "leads to a source"),
        ('<a href="/b.html">', "begins at the server's root"),
        ('<img src="gone.png">', "leads nowhere"),
        ('<a href="http://example.org/">', "is http: write https"),
    ],
)
def test_a_broken_link_is_named(tmp_path, text, fault):
    found = pages(tmp_path, a=text, b='<p id="x">')
    assert len(found) == 1 and found[0].startswith("a.html: ") and fault in found[0]


def test_a_folder_without_a_book_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="run `make html`"):
        links.read(tmp_path / "none")
