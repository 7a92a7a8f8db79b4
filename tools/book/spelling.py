"""Spelling of the course's prose. `python -m tools.book.spelling` prints unknown words and where they stand.

Read: pages (outside code and mathematics), front matter, Markdown files of the repository, docstrings, comments and the
sentences in the widgets' front ends and in Python's strings. A word is known to pyspellchecker's English list or to the
course's own, book/data/words.txt: names, terms, words of the example sentences, British forms (the list is American).
The course writes British English with -ise: AMERICAN names the forms that slip in; those in the course's own list are
code or quoted.
"""

import ast
import io
import re
import sys
import tokenize
from collections import defaultdict
from pathlib import Path

from spellchecker import SpellChecker

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "book" / "data" / "words.txt"
AMERICAN = re.compile(
    r"color(?:s|ed|ing|ful|less)?|behaviors?|(?:normal|general|factor|optim|recogn|summar|initial|visual|regular|token"
    r"|real|organ|minim|maxim|parallel|vector|util)iz(?:e|es|ed|ing|ation|ations|er|ers)|centers?|centered"
    r"|favor(?:s|ed|ite|able)?|neighbor(?:s|ing|hood)?|labeled|labeling|modeled|modeling|gray|analyz(?:e|es|ed|ing)"
    r"|fulfill(?:s)?|honor(?:s|ed)?|traveled|canceled"
)
WORD = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ]+(?:['’][A-Za-z]+)*")
# code, mathematics, links' targets, roles' targets, addresses, labels: not prose
NOT_PROSE = re.compile(
    r"\$\$.*?\$\$|\$(?:[^$\n]|\n(?!\n))*\$|`(?:[^`\n]|\n(?!\n))*`|\]\([^)]*\)|\{[\w:-]+\}`[^`]*`|https?://\S+|<[^>\n]*>"
    r"|^\([\w:-]+\)=$|^:\w[\w-]*:[^\n]*$|&\w+;|\\\w+|\b\w+(?:[._/]\w+)+\b|\{\w+\}|#[\w-]+|@\w+",
    re.S | re.M,
)
FENCE = re.compile(r"^(?P<mark>`{3,}|:{3,})\{?(?P<name>[\w-]*).*?$.*?^(?P=mark)\s*$", re.S | re.M)
PROSE_FENCES = {
    "admonition",
    "note",
    "tip",
    "warning",
    "important",
    "dropdown",
    "prf",
    "figure",
    "list-table",
    "margin",
    "exercise",
}
SENTENCE = re.compile(
    r"^(?=.*[a-z]{2,} [a-z]{2,}).*[A-Za-z]{2}", re.S
)  # two words in a row: prose and no key or selector


def words_of(text: str) -> list[str]:
    """The words of a text, markup taken out: no single letters, no words with digits or capitals inside, no
    possessives."""
    found = []
    for word in WORD.findall(NOT_PROSE.sub(" ", text)):
        word = re.sub(r"['’]s$|['’]$", "", word)
        if len(word) > 2 and (word.islower() or word.istitle()) and "'" not in word and "’" not in word:
            found.append(word)
    return found


def markdown(text: str) -> str:
    """A page's prose, its front matter and code cells left out; the strings of code cells that are sentences are
    kept."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    kept = []

    def fence(match):
        name = match["name"]
        if name == "code-cell":
            body = match[0].split("\n", 1)[1].rsplit("\n", 1)[0]
            body = "\n".join(line for line in body.splitlines() if not line.startswith((":", "%")))
            kept.append(python(body))
            return ""
        return (
            match[0].split("\n", 1)[1].rsplit("\n", 1)[0]
            if name.split(":")[0] in PROSE_FENCES or match["mark"][0] == ":"
            else ""
        )

    return FENCE.sub(fence, text) + "\n" + "\n".join(kept)


def python(text: str) -> str:
    """Docstrings, comments and sentences among the strings of a Python source."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ""  # a cell with a magic line
    strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    comments = [
        token.string for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type == tokenize.COMMENT
    ]
    return "\n".join(
        [each for each in strings if SENTENCE.match(each)] + [each for each in comments if "noqa" not in each]
    )


def javascript(text: str) -> str:
    """Comments and sentences among the strings of a front end."""
    comments = re.findall(r"(?:^|\s)//([^\n]*)$|/\*\*?(.*?)\*/", text, re.M | re.S)
    strings = re.findall(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`', text)
    plain = [re.sub(r"\$\{[^}]*\}|\\.", " ", each) for pair in strings for each in pair]
    return "\n".join(
        [each for each in plain if SENTENCE.match(each) and not each.lstrip().startswith((".", "#"))]
        + [each for pair in comments for each in pair]
    )


def sources() -> dict[Path, str]:
    """Every text that is checked, with its prose."""
    pages = [*ROOT.rglob("*.md")]
    code = [*ROOT.glob("course_lib/**/*.py"), *ROOT.glob("book/_ext/**/*.py"), *ROOT.glob("tools/**/*.py")]
    scripts = [*ROOT.glob("course_lib/widgets/*/*.js"), *ROOT.glob("book/_ext/**/*.js")]
    hidden = {".venv", "_build", "node_modules", ".ipynb_checkpoints", "dist"}
    kinds = ((pages, markdown), (code, python), (scripts, javascript))
    return {
        path: read(path.read_text(encoding="utf-8"))
        for paths, read in kinds
        for path in sorted(set(paths))
        if not hidden & set(path.relative_to(ROOT).parts)
    }


def own_words() -> list[str]:
    """The course's own words, one a line; a line that begins with # says what the next ones are."""
    return [
        line.strip()
        for line in OWN.read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith("#")
    ]


def checker() -> SpellChecker:
    """English, and the course's own words (in any capitals)."""
    found = SpellChecker(language="en", distance=1)
    found.word_frequency.load_words(word.lower() for word in own_words())
    return found


def unknown(texts: dict[Path, str], spell: SpellChecker) -> dict[str, list[Path]]:
    """Unknown or American words → the files they stand in."""
    found, own = defaultdict(set), {word.lower() for word in own_words()}
    for path, text in texts.items():
        for word in set(words_of(text)):
            lower = word.lower()
            if lower not in spell or (AMERICAN.fullmatch(lower) and lower not in own):
                found[lower].add(path)
    return {word: sorted(paths) for word, paths in sorted(found.items())}


def main() -> int:
    found = unknown(sources(), checker())
    for word, paths in found.items():
        print(f"{word:<24} {', '.join(str(path.relative_to(ROOT)) for path in paths[:3])}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
