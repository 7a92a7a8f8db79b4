"""Theorems are numbered by chapter and page, as a reader would count them, and a reference says the number of what it leads to."""

import posixpath
import re
from collections import Counter, defaultdict

from tests.shared.pages import listed

BOX = re.compile(r'<div class="proof (?!proof)[^"]*" id="([^"]+)">.*?<span class="caption-number">(\w+) ([\d.]+) ', re.S)
LINK = re.compile(r'<a class="reference internal" href="([^"#]*)#([^"]+)">(?:Theorem|Lemma|Definition|Proposition|Corollary|Remark|Example) ([\d.]+)</a>')


def test_numbers_follow_the_page_and_references_follow_the_numbers(book):
    numbers, links = defaultdict(dict), []
    pages = Counter()
    for page in (page for page in listed() if page.startswith("chapters/")):
        text = (book / page).read_text(encoding="utf-8")
        chapter = int(page.split("/")[1][:2])
        pages[chapter] += 1
        place = pages[chapter]
        for count, (name, _, number) in enumerate(BOX.findall(text), 1):
            assert number == f"{chapter}.{place}.{count}", (page, name)
            numbers[page][name] = number
        links += [(posixpath.normpath(posixpath.join(posixpath.dirname(page), target)) if target else page, name, number) for target, name, number in LINK.findall(text)]
    assert sum(map(len, numbers.values())) > 90 and len(links) > 30
    assert [link for link in links if numbers[link[0]].get(link[1]) != link[2]] == []
