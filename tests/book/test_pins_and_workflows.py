"""Workflows and the file that moves the pins name only what exists."""

import json
import re
from pathlib import Path

import pytest
import yaml

from tools.repository import ROOT


def test_what_is_never_moved_is_pinned_and_says_why():
    pinned = {
        line.split("==")[0].lower().replace("_", "-")
        for path in [ROOT / "requirements.txt", *ROOT.glob("requirements/*.txt")]
        for line in path.read_text().splitlines()
        if "==" in line
    }
    held = [
        rule
        for rule in json.loads((ROOT / ".github/renovate.json").read_text())["packageRules"]
        if not rule.get("enabled", True)
    ]
    assert {name for rule in held for name in rule["matchPackageNames"]} <= pinned and all(
        rule["description"] for rule in held
    )


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
KEPT = ("actions/", "astral-sh/setup-uv")  # who looks after the actions we use


def steps(path: Path) -> list[dict]:
    return [step for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_names_what_there_is(path):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    for step in steps(path):
        assert step.get("uses", "actions/").startswith(KEPT), step
        run = step.get("run", "")
        named = set(re.findall(r"\bmake ([\w-]+)", run))
        assert named <= targets, named - targets
        for file in re.findall(r"(?:^|\s)((?:\.ci|tests|binder|requirements)[\w./-]*)", run):
            assert (ROOT / file).exists(), file
        for module in re.findall(r"-m (tools[\w.]*)", run):
            assert (ROOT / f"{module.replace('.', '/')}.py").exists(), module
