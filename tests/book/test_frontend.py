"""The committed bundles are made from these very sources, and the vendored files are what the pages ask for."""

import json

import pytest

from tools.page import frontend


def test_bundles_are_current():
    frontend.check()


def test_a_changed_source_is_noticed(monkeypatch, tmp_path):
    stale = json.loads(frontend.RECORD.read_text()) | {"sources": "0" * 64}
    (tmp_path / "sources.json").write_text(json.dumps(stale))
    monkeypatch.setattr(frontend, "RECORD", tmp_path / "sources.json")
    with pytest.raises(SystemExit, match="make widgets"):
        frontend.check()


def test_every_widget_has_its_bundle():
    widgets = {
        "ablation_table", "approximation_builder", "attention_by_hand", "attention_explorer", "decoding", "descent", "exercise", "exercise_plain", "gaussian_attention", "gradient_flow",
        "journey", "measure_playground", "model_sizes", "positions", "quadratic_wall", "source_trainer", "spectrum", "study_table", "surface", "translate",
    }  # fmt: skip
    assert widgets <= set(frontend.entries())
    for name in frontend.entries():
        assert (frontend.DIST / f"{name}.js").stat().st_size < 100_000


def test_katex_style_names_only_fonts_that_are_there():
    style = (frontend.VENDOR / "katex" / "katex.min.css").read_text()
    fonts = {part.split(")")[0] for part in style.split("url(")[1:]}
    assert fonts and all((frontend.VENDOR / "katex" / font).exists() for font in fonts)
