"""What tools/environments/lite.py fetches is what Pyodide released, or is refused in words."""

import json
import zipfile

import pytest

from tools.environments import lite_parts


def test_pyodide_of_another_make_is_refused(tmp_path):
    packages = {name: {"file_name": f"{name}.whl", "sha256": "0" * 64, "depends": []} for name in lite_parts.WANTED}
    place = tmp_path / "place"
    place.mkdir()
    for name in lite_parts.RUNTIME:
        (place / name).write_text("")
    (place / lite_parts.LOCK).write_text(json.dumps({"info": {"version": "0.20.0"}, "packages": packages}))
    with pytest.raises(RuntimeError, match=r"is of Pyodide 0\.20\.0, this JupyterLite runs on"):
        lite_parts.pyodide(tmp_path / "a", tmp_path, place)
    (place / lite_parts.LOCK).write_text(json.dumps({"info": {"version": lite_parts.PYODIDE}, "packages": packages}))
    with pytest.raises(RuntimeError, match=r"is not in .* --pyodide"):
        lite_parts.pyodide(tmp_path / "b", tmp_path, place)
    for name in lite_parts.WANTED:
        (place / f"{name}.whl").write_bytes(b"not the file")
    with pytest.raises(RuntimeError, match="its SHA-256 is not the one"):
        lite_parts.pyodide(tmp_path / "c", tmp_path, place)


def test_a_dependency_is_found_under_either_spelling():
    packages = {"a": {"depends": ["B_c"]}, "b-c": {"depends": ["a"]}, "d": {"depends": []}}
    assert lite_parts.closure(packages, ("a",)) == ["a", "b-c"]


def test_a_lighter_wheel_keeps_the_rest_and_its_record(tmp_path):
    whole, light = tmp_path / "plotly-7.1.0-py3-none-any.whl", tmp_path / "light.whl"
    files = {
        "plotly/io.py": b"1",
        "plotly/package_data/plotly.min.js": b"2",
        "plotly/package_data/datasets/a.csv": b"3",
    }
    record = "".join(f"{name},sha256=x,1\n" for name in files) + "plotly-7.1.0.dist-info/RECORD,,\n"
    with zipfile.ZipFile(whole, "w") as wheel:
        for name, data in files.items():
            wheel.writestr(name, data)
        wheel.writestr("plotly-7.1.0.dist-info/RECORD", record)
    lite_parts.lighter(whole, light)
    with zipfile.ZipFile(light) as wheel:
        assert set(wheel.namelist()) == set(files) - {"plotly/package_data/plotly.min.js"} | {
            "plotly-7.1.0.dist-info/RECORD"
        }
        assert wheel.read("plotly/io.py") == b"1"
        assert "plotly.min.js" not in wheel.read("plotly-7.1.0.dist-info/RECORD").decode()
