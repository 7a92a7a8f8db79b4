"""Neighbours of words, on a page of its own: by typing and by keyboard, arithmetic with the given words allowed, odd
words."""

from course_lib.widgets import Neighbours
from tests.shared.widget_alone import alone, button, data, holds, reaches, settled, words

visit = alone(lambda: [Neighbours()])
ALLOWED = "near.ask=sum&near.given=allowed"


def near(page):
    return settled(page.locator(".nbr"))


def test_a_word_is_typed_and_a_neighbour_chosen(visit):
    with visit() as page:
        root = near(page)
        assert data(root, "nearest")[0].startswith("rook pawn") and words(root).startswith("Nearest to chess is rook")
        field = root.get_by_role("combobox", name="Word")
        field.fill(" Dog")
        reaches(root, "nearest", "x.startsWith('dogs')")
        field.fill("smurf")
        reaches(root, "nearest", "x === ''")
        assert "“smurf” is none of the 1,200 words" in root.locator(".course-problem").first.inner_text()
        field.fill("king")
        reaches(root, "nearest", "x.startsWith('kings queen')")
        button(root, "queen").press("Enter")
        holds(root, word="queen")


def test_the_given_words_allowed_and_struck_out(visit):
    with visit(ALLOWED) as page:
        root = near(page)
        assert data(root, "nearest")[0].startswith("king queen") and "did not leave it" in words(root)
        assert (
            root.locator(".nbr-lists section").count() == 2
            and "king (given)" in root.locator(".nbr-lists").inner_text()
        )
        root.get_by_role("radio", name="struck out").press("Space")
        holds(root, given="struck")
        reaches(root, "nearest", "x.startsWith('queen')")
        for name, word in (("Start from", "germany"), ("− take away", "france"), ("+ add", "paris")):
            root.get_by_role("combobox", name=name).fill(word)
        reaches(root, "nearest", "x.startsWith('berlin')")
        assert data(root, "alone")[0].startswith("german")


def test_a_link_with_an_odd_word_says_so(visit):
    with visit("near.word=Zürich") as page:
        root = near(page)
        assert "“zürich” is none of" in root.locator(".course-problem").first.inner_text() and data(
            root, "nearest"
        ) == [""]
