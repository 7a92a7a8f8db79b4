"""What the extension writes into a page so that it lives without a kernel: the state of widgets, and figures as
data."""

import json
import random
from html.parser import HTMLParser

from course_book import figures, live


def state(**models):
    return {"state": {name: {"state": dict(held)} for name, held in models.items()}}


def test_the_code_of_a_front_end_is_delivered_once_and_named_by_its_key(tmp_path):
    code = "export default {} // </script>"
    slimmed = live.slim(state(a={"_esm": code, "row": 1}, b={"_esm": code}, c={"_esm": "", "_css": "p {}"}), tmp_path)
    names = {name: model["state"].get("_esm") for name, model in slimmed["state"].items()}
    assert names["a"] == names["b"] == f"course:{live.content_key(code.encode())}" and names["c"] == ""
    assert slimmed["state"]["a"]["state"]["row"] == 1 and len(list(tmp_path.iterdir())) == 2
    called = (tmp_path / f"{names['a'].removeprefix('course:')}.js").read_text()
    key, text = json.loads("[" + called.removeprefix("__course.deliver(").removesuffix(")") + "]")
    assert (key, text) == (names["a"].removeprefix("course:"), code)


def test_a_front_ends_style_comes_with_its_code(tmp_path):
    (held,) = live.slim(state(a={"_css": "p {}", "_esm": "code"}), tmp_path)["state"].values()
    style, code = (held["state"][name].removeprefix("course:") for name in ("_css", "_esm"))
    (file,) = tmp_path.iterdir()
    assert (
        file.name == f"{code}.js"
        and file.read_text() == f'__course.deliver("{style}","p {{}}");__course.deliver("{code}","code")'
    )


def test_a_widget_is_heavy_by_all_its_data_together(tmp_path):
    for name in ("one", "two"):  # noise: compression takes nothing away
        (tmp_path / f"{name}.json").write_bytes(random.Random(name).randbytes(int(0.6 * live.HEAVY)))
    (tmp_path / "zeros.json").write_bytes(bytes(10 * live.HEAVY))
    given = {"alone": ["one", "gone"], "both": ["one", "two"], "packed": ["zeros"]}
    weighed = live.weigh(
        state(none={}, **{name: {"data_keys": {key: key for key in keys}} for name, keys in given.items()}), tmp_path
    )
    assert [name for name, model in weighed["state"].items() if model["state"].get("heavy")] == ["both"]


class Read(HTMLParser):
    """The texts of the elements, as a browser takes them apart."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts = [], {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        self.open.remove(tag)

    def handle_data(self, data):
        self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + data


def test_a_figures_words_end_neither_its_data_nor_its_caption():
    words = 'Rises where </script><script>alert("1")</script> & <b>falls</b>'
    figure = {
        "data": [{"name": words, "y": [1, 2]}],
        "layout": {"title": {"text": "</figure>"}, "meta": {"description": words}},
    }
    read = Read(figures.figure_html(figure))
    kept = json.loads(read.texts["script"])
    assert kept["data"] == figure["data"] and kept["layout"]["meta"] == figure["layout"]["meta"]
    assert read.texts["strong"] == "</figure>." and read.texts["figcaption"].strip() == words and read.open == []
