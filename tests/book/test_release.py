"""What a release is made of: the wheel has what the package reads, and versions agree."""

import json
import re
import subprocess
import sys
import zipfile

import pytest
import yaml

import course_lib
from tools.release import make
from tools.repository import ROOT

pytestmark = pytest.mark.slow

SOURCES = re.compile(
    r"course_lib/(widgets/(?!dist/|runtime/)(\w+/)+[\w.]+\.(js|ts|css)|widgets/runtime/\w+\.ts|(\w+/)README\.md)$"
)  # the bundles in dist/ are made from these

SHOWN = """
import importlib, json, pathlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import course_lib
assert course_lib.__file__.startswith(sys.argv[1]), course_lib.__file__
for module in pkgutil.walk_packages(course_lib.__path__, "course_lib."):
    importlib.import_module(module.name)
from course_lib import published, results, shipped, widgets
from course_lib.text import corpora
tables = [results.load(path.stem) for path in sorted(pathlib.Path(results.__file__).parent.glob("*.json"))]
texts = len(corpora.english_french().train), len(corpora.towns()), len(corpora.english_prose()), \
corpora.in_words(54).target
widget = widgets.AttentionByHand()
shown = widget._repr_mimebundle_()[0]["application/vnd.jupyter.widget-view+json"]
print(json.dumps([len(tables), texts, len(widget._esm), len(widget._css), shown["model_id"] == widget.model_id, \
len(shipped.numbers().source)]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The package as a release has it: built from the last commit, without a network."""
    return make.wheel(tmp_path_factory.mktemp("wheel"))


def test_the_wheel_has_every_file_of_the_package_but_the_front_ends_sources(wheel):
    committed = set(make.git("ls-tree", "-r", "--name-only", "HEAD", "course_lib").decode().splitlines())
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == {name for name in committed if not SOURCES.match(name)}


def test_outside_the_repository_the_wheel_reads_its_data_and_shows_a_widget(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "-I", "-c", SHOWN, str(tmp_path)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    tables, texts, script, style, same, words = json.loads(done.stdout)
    assert tables > 20 and texts[3] == ["vier", "und", "fünfzig"] and min(texts[:3]) > 1000
    assert script > 1000 and style > 100 and same and words > 20


def test_the_wheel_asks_for_nothing_abandoned(wheel):
    files = zipfile.ZipFile(wheel)
    assert re.fullmatch(r"course_lib-[\d.]+-py3-none-any\.whl", wheel.name)
    metadata = files.read(next(name for name in files.namelist() if name.endswith("METADATA"))).decode()
    assert "Requires-Dist: num2words" not in metadata and "Requires-Dist: torch>=" in metadata


def test_this_version_is_the_same_everywhere():
    assert make.disagreements() == []


def test_a_version_that_is_not_the_same_is_named(tmp_path):
    (tmp_path / "CITATION.cff").write_text(
        "version: 0.0.1\nauthors:\n- {family-names: Bell, given-names: Ada}\n- name: The others\n"
    )
    (tmp_path / "LICENSE").write_text("Copyright (c) 2026 Ada Bell, The others\n")
    (tmp_path / "_config.yml").write_text("author: The course authors\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 0.0.1\n")
    said = make.disagreements(tmp_path)
    assert said[1].startswith("CITATION.cff has version 0.0.1, course_lib has") and "CHANGELOG.md has no" in said[2]
    assert said[0] == "_config.yml does not name Ada Bell, The others, as CITATION.cff does"


def test_notes_are_one_page_of_the_changelog():
    made = make.notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), course_lib.__version__)
    assert 150 < len(made.split()) < 600 and made.startswith("# Attention, by hand") and "\n##" not in made
    with pytest.raises(ValueError, match=r"no '### In one page' below '## 9\.9\.9'"):
        make.notes("## 1.0.0\n### In one page\nx\n### y\n", "9.9.9")


def test_the_workflow_makes_the_release_by_the_one_command():
    steps = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))["jobs"]["release"][
        "steps"
    ]
    runs = [step["run"] for step in steps if "run" in step]
    assert (
        any(run.startswith("make release") for run in runs)
        and "_build/release/*" in runs[-1]
        and "RELEASE_NOTES.md" in runs[-1]
    )
