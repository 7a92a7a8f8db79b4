"""The course's prose is spelt right, in British English; the checker reads prose and leaves code and mathematics
alone."""

import pytest

from tools.book import spelling


@pytest.fixture(scope="module")
def spell():
    return spelling.checker()


def test_the_course_is_spelt_right(spell):
    texts = spelling.sources()
    assert len(texts) > 300 and sum(len(spelling.words_of(text)) for text in texts.values()) > 50_000  # it did read
    found = spelling.unknown(texts, spell)
    assert {word: [path.name for path in paths[:2]] for word, paths in found.items()} == {}, (
        "mend it, or add it to book/data/words.txt"
    )


def test_own_words_are_sorted_used_and_new(spell):
    english = spelling.SpellChecker(language="en", distance=1)
    used = {word.lower() for text in spelling.sources().values() for word in spelling.words_of(text)}
    part = []
    for line in [*spelling.OWN.read_text().splitlines(), "#"]:
        if line.startswith("#"):
            assert part == sorted(set(part))
            part = []
        elif line:
            part.append(line)
            assert line in used, f"{line} is not used any more: take it out of words.txt"
            assert line not in english or spelling.AMERICAN.fullmatch(line), (
                f"{line} is known anyway: take it out of words.txt"
            )


PAGE = """---
kernelspec: wrogn
---
(wrogn-label)=
# A titel

```{admonition} Predict
:class: wrogn
The atention of `wrogn` words $wrogn$ and [this](wrogn.md) and $$wrogn$$ is fine; one $2 price.
```

```{code-cell} ipython3
:tags: [wrogn]
wrogn = "key_wrogn"  # a coment
show("the figuer that readers see")
```
The modell of color.
"""


def test_prose_is_read_and_nothing_else(spell):
    found = spelling.unknown({"page": spelling.markdown(PAGE)}, spell)
    assert sorted(found) == ["atention", "coment", "figuer", "modell", "titel"]  # color is in the list, as code
    script = 'const wrogn = "a wrogn-free lien of wurds"; // a gess\nel.querySelector(".wrogn p");'
    assert sorted(spelling.unknown({"script": spelling.javascript(script)}, spell)) == ["gess", "wrogn", "wurds"]


@pytest.mark.parametrize("word", ["neighboring", "optimization", "labeled", "favorite", "analyze"])
def test_american_forms_are_named(spell, word):
    assert list(spelling.unknown({"page": f"the {word} of it"}, spell)) == [word]
