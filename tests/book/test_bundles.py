"""Few files a page: what the theme's style keeps, how scripts are put together, what a page's head becomes, and what it
costs."""

import re

import pytest
import tinycss2
from course_book import bundles

from tests.shared.pages import listed
from tests.shared.vitals import bytes_sent

PAGE = """<html data-content_root="../"><head><meta charset="utf-8" />
<link href="../_static/styles/theme.css" rel="stylesheet" /><link rel="stylesheet" href="../_static/pygments.css?v=1" />
<link rel="preload" as="script" href="../_static/scripts/bootstrap.js" /><link rel="icon" \
href="../_static/favicon.svg"/>
<script>early();</script><script src="../_static/documentation_options.js"></script><script \
src="../_static/doctools.js?v=2"></script>
<script defer="defer" src="../_static/course/recall.js"></script>
<script type="application/vnd.jupyter.widget-state+json">{"state":
{"a":{"state":{"_esm":"course:0123456789abcdef"}},"b":{"state":{"_esm":"course:far","heavy":true}}}}</script>
</head><body><p>Text.</p><script type="application/json">{"a": 1}</script><script>kernelName = 'python3'</script>\
<script>stays();</script>
<script defer src="../_static/scripts/bootstrap.js"></script></body></html>"""
MARKS = {"book.css": "1a", "book.js": "2b", "theme.js": "3c"}


def kept(text: str, known: set[str] | None) -> str:
    return bundles.kept(tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True), known)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a .on, .off > b { color: red }", "a .on{color: red}"),
        (".off { color: red } p { margin: 0 }", "p{margin: 0}"),
        (
            "@media (min-width:992px) and (max-width: 1199.98px) { p { margin: 0 } }",
            "@media (min-width:62em) and (max-width: 74.99875em){p{margin: 0}}",
        ),
        ("@media (width > 1px) { .off { margin: 0 } }", ""),
        ("@supports (gap: 0) { .on.off { margin: 0 } .on { margin: 1px } }", "@supports (gap: 0){.on{margin: 1px}}"),
        ('p:not(.off), [href$=".off"] { margin: 0 }', 'p:not(.off),[href$=".off"]{margin: 0}'),
        (r".a\:b { margin: 0 }", r".a\:b{margin: 0}"),
        (
            "@font-face { src: url(a.woff2) } @keyframes off { from { top: 0 } }",
            "@font-face{src: url(a.woff2)}\n@keyframes off{from { top: 0 }}",
        ),
    ],
)
def test_a_rule_stays_where_it_can_match(text, left):
    assert kept(text, {"on", "a:b"}) == left
    assert kept(".off { margin: 0 }", None) == ".off{margin: 0}"


def test_addresses_lead_from_the_new_place():
    style = "a { b: url(../f.woff2) url('x/y.png') url(#here) url(data:a) }"
    assert (
        bundles.moved(style, "vendor/katex")
        == "a { b: url(vendor/f.woff2) url('vendor/katex/x/y.png') url(#here) url(data:a) }"
    )


def test_a_script_of_ours_that_fails_does_not_take_the_next_along(tmp_path):
    (tmp_path / "course").mkdir()
    (tmp_path / "course/a.js").write_text('/** What\n * it does. */\n// why\n  f("http://x"); // says\n')
    (tmp_path / "b.js").write_text('"use strict"; // theirs\n')
    text = bundles.script(tmp_path, ["course/a.js", "b.js"])
    assert (
        text == ';\ntry {\nf("http://x"); // says\n} catch (error) { reportError(error); }\n"use strict"; // theirs\n;'
    )


def test_a_pages_head_is_put_in_order_once(tmp_path):
    (tmp_path / "documentation_options.js").write_text("const OPTIONS = {};")
    made = bundles.written(PAGE, tmp_path, MARKS)
    head, _, body = made.partition("</head>")
    assert re.findall(r"<link[^>]*rel=\"(?:stylesheet|preload)\"[^>]*>", made) == [
        '<link rel="stylesheet" href="../_static/book.css?v=1a" onload="courseAsk()"/>'
    ]
    assert (
        head.index("early();") < head.index("const OPTIONS") < head.index("book.css")
        and "favicon.svg" in head
        and " src=" not in head
    )
    files = [
        "../_static/data/0123456789abcdef.js",
        "../_static/book.js?v=2b",
        "../_static/course/recall.js",
        "../_static/theme.js?v=3c",
    ]
    assert re.search(r"courseLate = (\[.*?\]);", head)[1] == str(files).replace("'", '"')
    assert (
        body.index("stays();") < body.index("widget-state") < body.index("courseLate")
        and '{"a": 1}' in body
        and "kernelName" not in body
    )
    assert bundles.written(made, tmp_path, MARKS | {"book.js": "9z"}) == made.replace("book.js?v=2b", "book.js?v=9z")
    assert bundles.written("<html><title>Moved</title></html>", tmp_path, MARKS) == "<html><title>Moved</title></html>"
    with pytest.raises(ValueError, match=r"new\.css: a style sheet that course_book.bundles does not know"):
        bundles.written(PAGE.replace("pygments.css", "new.css"), tmp_path, MARKS)


def test_every_page_asks_for_one_style_and_few_scripts(book):
    for page in listed():
        text = (book / page).read_text(encoding="utf-8")
        head = text.partition("</head>")[0]
        assert (
            head.count('rel="stylesheet"') == 1 + (page == "book/index.html")
            and "<script src" not in text
            and "<script defer" not in text
        ), page
        scripts = [
            each for each in re.search(r"courseLate = \[(.*?)\]", head)[1].split(", ") if "_static/data/" not in each
        ]
        assert len(scripts) <= (7 if page == "book/progress.html" else 4), page


def test_what_all_pages_share_is_small(book):
    assert (
        bytes_sent(book / "_static/book.css") < 40_000
        and bytes_sent(book / "_static/book.js") + bytes_sent(book / "_static/theme.js") < 56_000
    )
