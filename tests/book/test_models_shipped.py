"""The real models' parts in a built book: only where they are asked for, and as scripts in the folder for a stick."""

from types import SimpleNamespace

import pytest
from course_book import real_models as hook
from sphinx.errors import ConfigError

from course_lib.pretrained.files import NotInstalled
from tools.page import model_parts, real_models

OFFERED = {"small": {"title": "Small", "bytes": 7, "memory": 1}}


@pytest.fixture
def app(tmp_path):
    (tmp_path / "_static" / "course").mkdir(parents=True)
    (tmp_path / "_static" / "course" / "host.js").write_text("// the host\n")
    return SimpleNamespace(outdir=str(tmp_path), builder=SimpleNamespace(format="html"))


@pytest.mark.parametrize(("asked", "calls"), [(None, []), ("0", []), ("1", ["build-finished"])])
def test_a_build_carries_them_where_it_is_told_to(monkeypatch, asked, calls):
    connected = []
    monkeypatch.delenv(hook.ASKED, raising=False)
    if asked:
        monkeypatch.setenv(hook.ASKED, asked)
    hook.setup(SimpleNamespace(connect=lambda event, *_, **__: connected.append(event)))
    assert connected == calls


def test_the_pages_are_told_what_there_is(monkeypatch, app, tmp_path):
    monkeypatch.setattr(real_models, "write", lambda static: OFFERED if static == tmp_path / "_static" else None)
    hook.write(app, None)
    assert (tmp_path / "_static" / "course" / "host.js").read_text() == (
        '// the host\nglobalThis.__course_models = {"small": {"title": "Small", "bytes": 7, "memory": 1}};\n'
    )


def test_a_missing_package_is_named_with_the_command_that_helps(monkeypatch, app):
    def missing(_):
        raise NotInstalled("this needs the package x, which is not installed: pip install x")

    monkeypatch.setattr(real_models, "write", missing)
    with pytest.raises(ConfigError, match=r"COURSE_MODELS=1 asks for the real models: .*pip install x"):
        hook.write(app, None)


def test_parts_become_scripts(tmp_path):
    tensor = model_parts.Stored("a", "F32", 2, 2, bytes(16))
    manifest = model_parts.pack(tmp_path, "small", [tensor], {"pieces": ["é"]}, {"config": {}})
    assert model_parts.read_manifest(tmp_path / "small") == manifest
    model_parts.scripts(tmp_path)
    names = {f"{part['file']}.js" for part in manifest["parts"]}
    assert {path.name for path in (tmp_path / "small").iterdir()} == names | {"manifest.js"}
    weights = manifest["parts"][0]["file"]
    assert (
        tmp_path / "small" / f"{weights}.js"
    ).read_text() == f'__course_model("small","{weights}","AAAAAAAAAAAAAAAAAAAAAA==");'
