"""The runner of labs, on notebooks of a few cells."""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from tools.environments import lab_run
from tools.repository import ROOT

pytestmark = pytest.mark.slow

SHOW = "from IPython.display import display, Markdown\nmark = {!r}\ndisplay(Markdown(f'**{{mark}}** said'))"
NO_NETWORK = """
import socket, urllib.request
for way in (lambda: socket.create_connection(("192.0.2.1", 80), 5), lambda: socket.socket(socket.AF_INET, \
socket.SOCK_DGRAM).sendto(b"", ("192.0.2.1", 53)),
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
    why, executed = lab_run.run(
        notebook(
            tmp_path / "lab.ipynb", "import os; print(os.getcwd(), os.environ['HOME'])", SHOW.format("✓"), marks="✓"
        )
    )
    folders = executed.cells[1].outputs[0].text
    assert why == "" and str(Path.home()) not in folders and str(ROOT) not in folders


def test_another_verdict_or_an_error_fails(tmp_path):
    wrong, _ = lab_run.run(notebook(tmp_path / "wrong.ipynb", SHOW.format("✗"), marks="✓"))
    assert wrong == "the checks say ✗, stored are ✓: they part at check 1"
    raising, executed = lab_run.run(notebook(tmp_path / "raising.ipynb", "1 / 0", "print('not reached')"))
    assert "ZeroDivisionError" in raising and executed.cells[2].outputs == []


def test_offline_means_offline(tmp_path):
    if (
        not shutil.which(lab_run.NO_NETWORK[0])
        or subprocess.run([*lab_run.NO_NETWORK, "true"], capture_output=True).returncode
    ):
        pytest.skip("this system gives a process no network of its own")
    command = [sys.executable, "-m", "tools.environments.lab_run", "--offline"]
    lab, wrong = (
        notebook(tmp_path / "net.ipynb", NO_NETWORK),
        notebook(tmp_path / "other.ipynb", SHOW.format("✗"), marks="✓"),
    )
    done = subprocess.run([*command, str(lab), str(wrong)], cwd=ROOT, capture_output=True, text=True, timeout=600)
    first, second = done.stdout.splitlines()
    assert done.returncode == 1 and first.startswith(f"ok  {lab}, ") and second.startswith("FAILED"), (
        done.stdout + done.stderr
    )
