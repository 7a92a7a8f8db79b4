"""The runner of labs, the environments it makes, and what a run leaves; on notebooks of a few cells."""

import json
import socket
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from tools.environments import environments, lab_run, test_all

ROOT = Path(__file__).resolve().parents[2]

SHOW = "from IPython.display import display, Markdown\nmark = {!r}\ndisplay(Markdown(f'**{{mark}}** said'))"
NO_NETWORK = """
import socket, urllib.request
for way in (lambda: socket.create_connection(("192.0.2.1", 80), 5), lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"", ("192.0.2.1", 53)),
            lambda: urllib.request.urlopen("http://192.0.2.1/", timeout=5)):
    try:
        way()
    except TimeoutError:
        raise SystemError("there is a network: nothing refused the connection")
    except OSError as refused:
        print(refused)
    else:
        raise SystemError("there is a network")
"""


def notebook(path: Path, *cells: str, marks: str = "") -> Path:
    """A notebook whose stored verdicts are `marks`."""
    made = v4.new_notebook(cells=[v4.new_markdown_cell("A lab")] + [v4.new_code_cell(cell) for cell in cells])
    made.cells[-1].outputs = [v4.new_output("display_data", {"text/markdown": f"**{mark}** said"}) for mark in marks]
    nbformat.write(made, path)
    return path


def test_a_lab_passes_where_its_checks_say_what_is_stored(tmp_path):
    slow = "import time; begun = time.monotonic(); time.sleep(0.5); print(time.monotonic() - begun)"
    lab = notebook(tmp_path / "lab.ipynb", "import os; print(os.getcwd(), os.environ['HOME'])", slow, SHOW.format("✓"), marks="✓")
    found = lab_run.run(lab)
    assert found["ok"] and found["why"] == ""
    folders, slept, _ = (cell.outputs[0].get("text") for cell in nbformat.reads(found["notebook"], as_version=4).cells[1:])
    first, second, third = found["cells"]  # each to 0.01 s; how long the others take is the machine's affair
    assert second >= float(slept) - 0.01 and first <= found["start"] + 0.01 and found["start"] + second + third <= found["total"] + 0.02
    assert str(Path.home()) not in folders and str(ROOT) not in folders


def test_another_verdict_or_an_error_fails(tmp_path):
    wrong = lab_run.run(notebook(tmp_path / "wrong.ipynb", SHOW.format("✗"), marks="✓"))
    assert not wrong["ok"] and wrong["why"] == "the checks say ✗, stored are ✓: they part at check 1"
    raising = lab_run.run(notebook(tmp_path / "raising.ipynb", "1 / 0", "print('not reached')"))
    assert not raising["ok"] and "ZeroDivisionError" in raising["why"] and len(raising["cells"]) <= 1


def test_offline_means_offline_by_the_guard(tmp_path):
    found = lab_run.run(notebook(tmp_path / "net.ipynb", NO_NETWORK), guarded=True)
    assert found["ok"], found["why"]
    assert nbformat.reads(found["notebook"], as_version=4).cells[1].outputs[0].text.count("no network") == 3


@pytest.mark.skipif(not lab_run.namespace(), reason="this system gives a process no network of its own: the guard is used")
def test_offline_means_offline_by_the_namespace(tmp_path):
    import subprocess

    lab = notebook(tmp_path / "net.ipynb", NO_NETWORK + "\nassert socket.getaddrinfo.__module__ == 'socket'")  # no guard here
    done = subprocess.run(lab_run.offline(lab, sys.executable, lab_run.namespace()), capture_output=True, text=True, timeout=600)
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["ok"] and found["network"] == "namespace", found["why"]


def test_the_guard_lets_this_machine_through():
    spec = {}
    code = (ROOT / "tools" / "environments" / "offline" / "sitecustomize.py").read_text(encoding="utf-8")
    before = socket.socket, socket.getaddrinfo
    try:
        exec(code, spec)
    finally:
        socket.socket, socket.getaddrinfo = before
    assert all(map(spec["loopback"], ("localhost", "127.0.0.1", "::1", b"127.0.0.2")))
    assert not any(map(spec["loopback"], ("192.0.2.1", "example.org", "10.0.0.1", "::2")))


# ------------------------------------------------------------------------------------------------------ the matrix
@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setattr(test_all, "FOLDER", tmp_path / "out")
    labs = [notebook(tmp_path / f"{name}.ipynb", f"print({name!r})") for name in ("one", "two", "three")]
    ready = environments.Ready("newest", Path(sys.executable), "numpy==2.0.0\n")
    return [test_all.Run(lab, "newest", ready) for lab in labs]


def doing(done: list, stop_at: str = "", fail: str = ""):
    """Instead of a kernel: note the lab, store what `perform` would."""

    def do(run):
        if run.lab == stop_at:
            raise KeyboardInterrupt
        done.append(run.lab)
        found = {"lab": run.lab, "environment": run.name, "network": "", "ok": run.lab != fail, "why": "it broke" * (run.lab == fail), "start": 1.0, "cells": [0.5, 2.5], "total": 4.0, "key": test_all.key(run)}
        run.stored.parent.mkdir(parents=True, exist_ok=True)
        run.stored.write_text(json.dumps(found), encoding="utf-8")
        return found

    return do


def test_what_has_passed_is_not_run_again_until_something_changes(runs):
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        test_all.matrix(runs, False, doing(done, stop_at="three"))
    assert done == ["one", "two"]
    found = test_all.matrix(runs, False, doing(done, fail="three"))  # goes on where it was
    assert done == ["one", "two", "three"] and [each["ok"] for each in found] == [True, True, False]
    test_all.matrix(runs, False, doing(done))  # only what failed
    assert done[3:] == ["three"]
    notebook(runs[0].notebook, "print('changed')")
    test_all.matrix(runs, False, doing(done))
    assert done[4:] == ["one"]
    other = [run._replace(ready=run.ready._replace(lock="numpy==2.1.0\n")) for run in runs]
    test_all.matrix(other, False, doing(done))
    assert done[5:] == ["one", "two", "three"]
    test_all.matrix(other, True, doing(done))
    assert done[8:] == ["one", "two", "three"]


def test_what_settles_a_run_is_in_its_key(runs):
    run, ready = runs[0], runs[0].ready
    others = [run._replace(name="offline"), run._replace(network=()), run._replace(network=("unshare", "-n")), run._replace(ready=ready._replace(lock="numpy==2.1.0\n"))]
    assert len({test_all.key(each) for each in (run, *others)}) == 5 and test_all.key(run._replace()) == test_all.key(run)


def test_a_change_of_what_a_lab_imports_runs_it_again(runs, monkeypatch, tmp_path):
    module = tmp_path / "module.py"
    module.write_text("a = 1", encoding="utf-8")
    monkeypatch.setattr(test_all.notebooks, "dependencies", lambda code: [module])
    before = test_all.key(runs[0])
    module.write_text("a = 2", encoding="utf-8")
    assert test_all.key(runs[0]) != before


def test_the_table_says_where_and_why(runs):
    found = test_all.matrix(runs, False, doing([], fail="two"))
    text = test_all.report(found, {"newest": runs[0].ready})
    assert "| one | newest | ok | 1.0 | 2.5 (cell 2) | 4.0 |" in text
    assert "| two | newest | **failed** |" in text and "### two, newest\n```\nit broke" in text
    assert "numpy==2.0.0" in text


def test_a_real_run_is_stored_with_its_notebook(runs):
    found = test_all.perform(runs[0])
    assert found["ok"] and test_all.before(runs[0]) == found
    assert nbformat.read(runs[0].stored.with_suffix(".ipynb"), as_version=4).cells[1].outputs[0].text == "one\n"


def test_offline_and_newest_share_an_environment_and_torch_can_be_narrowed():
    wanted = test_all.wanted(["newest", "oldest", "offline"], "==2.13.0")
    assert wanted["offline"] == wanted["newest"] and wanted["newest"].resolution == "highest"
    assert wanted["oldest"].resolution == "lowest-direct" and wanted["oldest"].extra == ("torch==2.13.0",)
    colab = test_all.wanted(["colab"])["colab"]
    assert colab.python == "3.13" and "ipywidgets==7.7.1" in colab.found.read_text().split()


def test_an_unknown_lab_is_refused_by_name():
    with pytest.raises(SystemExit, match="--labs must begin like one of 01_sequence_to_sequence"):
        test_all.labs(["09"])
    assert [path.stem for path in test_all.labs(["05"])] == ["05_universality"] * 2
