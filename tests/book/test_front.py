"""The title page's ways in can be walked, and every page says what it is to a search engine and to who shares it."""

import re
from xml.etree import ElementTree

import pytest
from course_book import covers, entry_routes, meta, timetable
from docutils import nodes
from docutils.utils import new_document

from tests.shared.pages import listed
from tools.repository import ROOT

ROUTE = re.compile(r"^```\{route\} (.+?)\n(.*?)^```$", re.M | re.S)
FROM_NOTHING = ("You have never seen attention", "You use language models every day")


def ways() -> dict[str, list[str]]:
    return {
        title: re.findall(r"^- (\S+)$", body, re.M)
        for title, body in ROUTE.findall((ROOT / "book/index.myst.md").read_text())
    }


def test_there_are_four_ways_of_three_to_five_pages():
    assert len(ways()) == 4 and set(FROM_NOTHING) <= set(ways())
    assert all(3 <= len(pages) <= 5 and len(set(pages)) == len(pages) for pages in ways().values())


@pytest.mark.parametrize("title", FROM_NOTHING)
def test_no_page_of_a_beginners_way_needs_one_that_comes_later_or_never(title):
    walked = []
    for path in ways()[title]:
        if path.startswith("chapters/"):
            needs = set(timetable.wants(timetable.page(path).need))
            assert needs <= set(walked), f"{path} needs {needs - set(walked)}"
        walked.append(path)


def test_times_are_the_pages_own():
    assert entry_routes.of("chapters/03_transformer/attention") == (
        "Attention, derived",
        timetable.minutes(timetable.page("chapters/03_transformer/attention").takes),
    )
    assert entry_routes.of("book/ledger")[1] is None
    with pytest.raises(FileNotFoundError, match="no page book/nothing"):
        entry_routes.of("book/nothing")
    assert [entry_routes.in_all(times) for times in ([10, 32], [60, 70], [60, None, 35])] == [
        "about 40 minutes",
        "about 2 hours 10 minutes",
        "about 1 hour 35 minutes, and what you look up",
    ]


def said(*paragraphs: nodes.Node) -> str:
    document = new_document("page")
    document += nodes.section("", *paragraphs)
    return meta.description(document)


def test_a_description_is_the_frames_promise_or_the_first_paragraph():
    promise = nodes.paragraph(
        "",
        "",
        nodes.strong("", "You will learn"),
        nodes.Text(" how "),
        nodes.math("", r"\sqrt{m}"),
        nodes.Text(" is earned."),
    )
    first = nodes.paragraph("", "A first paragraph, long enough to say something.")
    assert said(first) == "A first paragraph, long enough to say something."
    assert (
        said(first, nodes.admonition("", promise)) == "How √m is earned." and said(nodes.paragraph("", "Short.")) == ""
    )


def test_a_long_description_ends_with_a_sentence_or_a_word():
    assert meta.shortened(
        "A sentence that is long enough to be kept as it is, and as it stands here. " + "word " * 60
    ).endswith("here.")
    cut = meta.shortened("word, " * 60)
    assert len(cut) <= meta.LONGEST and cut.endswith("word …")


def test_a_picture_is_named_where_the_sites_address_is_known():
    here, there = (
        meta.tags('A "title"', "Said & done.", "Book", site, "book/index") for site in ("", "https://example.org/book/")
    )
    assert (
        'content="A &quot;title&quot;"' in here
        and 'name="description" content="Said &amp; done."' in here
        and "og:image" not in here
    )
    assert 'property="og:image" content="https://example.org/book/_static/title.png"' in there
    assert meta.PICTURE.exists()


def test_every_chapter_has_its_picture():
    chapters = {path.name for path in (ROOT / "chapters").iterdir() if path.is_dir()}
    assert set(covers.covers()) == chapters
    for cover in covers.covers().values():
        assert cover.diagram()[1].steps and (ROOT / f"{cover.first}.myst.md").exists()
    with pytest.raises(ValueError, match="has no diagram 'nothing'"):
        cover._replace(name="nothing").diagram()


def test_the_icon_is_there_and_a_picture(book):
    icon = (book / "_static/favicon.svg").read_text(encoding="utf-8")
    assert ElementTree.fromstring(icon).tag.endswith("svg")
    for page in listed():
        assert re.search(
            r'<link rel="icon" href="(?:\.\./)*_static/favicon\.svg"', (book / page).read_text(encoding="utf-8")
        ), page


def test_every_page_describes_itself(book):
    for page in listed():
        head = (book / page).read_text(encoding="utf-8").split("</head>")[0]
        assert head.count('property="og:title"') == 1, page
        if page.startswith(("chapters/", "labs/", "book/index", "book/how")):
            (words,) = re.findall(r'<meta name="description" content="([^"]+)"', head)
            assert 20 <= len(words) <= 1.3 * meta.LONGEST, f"{page}: {words}"


def test_a_lab_says_how_it_is_started(book):
    for page in listed():
        text = (book / page).read_text(encoding="utf-8")
        assert ("how to start it" in text and "make lab" in text) == page.startswith("labs/"), page
