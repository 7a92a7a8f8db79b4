"""The count of what is written by hand, and its budgets, which bite."""

import subprocess

from tools.suite import size

PYTHON = (
    '"""Two words."""\nx = "no docstring"  # a comment\n\n\ndef f():\n    """A docstring\n    of two '
    'lines."""\n    return x\n'
)
SCRIPT = "/* all of it */ const x = 1; // the rest\\nconst url = 'https://a.b';\\n".replace("\\n", "\n")


def test_docstrings_and_comments_are_what_explains(tmp_path):
    assert size.explaining(tmp_path / "a.py", PYTHON) == len('"""Twowords."""#acomment"""Adocstringoftwolines."""')
    assert size.explaining(tmp_path / "a.js", SCRIPT) == len("/*allofit*///therest")
    assert size.explaining(tmp_path / "a.yml", "a: 1  # why\nb: x#y\n") == len("#why")


def test_a_room_a_file_or_a_silence_over_its_budget_is_named(tmp_path):
    for name, text in {
        "room/a.py": PYTHON,
        "room/inner/b.js": SCRIPT,
        "room/c.json": "{}",
        "top.yml": "a: 1\n",
        "book/vendor/d.js": "x",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run("git init -q . && git add .", cwd=tmp_path, shell=True, check=True)
    found = size.sizes(tmp_path, [".", "room", "room/inner"])
    assert {room: each.files for room, each in found.items()} == {".": 1, "room": 1, "room/inner": 1}
    most = {room: [each.characters, each.files] for room, each in found.items()}
    kept = {"rooms": most, "lines": 8, "explaining": 0.3}
    assert size.beyond(found, kept) == []
    wide = found | {"room": found["room"]._replace(wide="room/a.py:2")}
    assert size.beyond(wide, kept) == ["room/a.py:2: a line of more than 120 characters"]
    less = most | {"room": [most["room"][0] - 1, 0]}
    over = size.beyond(found, {"rooms": less, "lines": 7, "explaining": 0.9})
    assert [each.split(":")[0] for each in over] == ["room", "room", "room/a.py", "docstrings and comments"]
