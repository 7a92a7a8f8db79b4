"""What Binder builds, held by the real pip and the real repo2docker, as far as they run without Docker and without
conda."""

import re
import shutil
import subprocess
import sys
import tomllib

import yaml
from packaging.requirements import Requirement

from tests.shared.optional import missing
from tools.repository import ROOT

BINDER = ROOT / "binder"
LISTED = yaml.safe_load((BINDER / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
POST_BUILD = (BINDER / "postBuild").read_text(encoding="utf-8")


def test_conda_brings_whatever_the_course_needs():
    names = {re.split(r"[=<>]", each)[0] for each in LISTED if isinstance(each, str)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = {
        Requirement(each).name for each in project["project"]["dependencies"] + project["build-system"]["requires"]
    }
    assert (needed - {"torch"}) | {"pytorch-cpu", "jupyterlab", "pip"} <= names


def test_pip_can_read_what_conda_hands_it():
    """conda gives a pip section to `pip install -r`, which knows no options such as --no-deps."""
    for section in (each["pip"] for each in LISTED if isinstance(each, dict)):
        assert all(Requirement(line) for line in section)


def test_post_build_installs_the_course(tmp_path):
    [line] = [line for line in POST_BUILD.splitlines() if line.endswith("-e .")]
    for name in ("course_lib", "pyproject.toml", "README.md", "LICENSE"):
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, tmp_path / name)
    command = [sys.executable, "-m", *line.split(), "--dry-run"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_repo2docker_builds_the_environment_before_the_repository_is_there_and_runs_post_build_after(monkeypatch):
    try:
        from repo2docker.buildpacks.conda import CondaBuildPack
    except ImportError:
        missing("repo2docker is not installed: pip install --no-deps -r requirements/binder.txt")
    monkeypatch.chdir(ROOT)
    pack = CondaBuildPack("buildpack-deps:jammy")
    pack.platform = "linux/amd64"
    assert pack.detect() and pack.python_version == "3.12" and pack.get_post_build_scripts() == ["binder/postBuild"]
    steps = [
        pack.render({}).index(step)
        for step in ('--file "binder/environment.yml"', "src/ ${REPO_DIR}/", "RUN ./binder/postBuild")
    ]
    assert steps == sorted(steps)
