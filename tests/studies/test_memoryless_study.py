"""The published study as a command: interrupted, resumed, shared out, refused; and the stored table against runs made
now."""

import pytest
import torch

from course_lib import published, results
from course_lib.memoryless import Ensemble, Training, read, train
from course_lib.memoryless.sizes import Sizes, count
from course_lib.memoryless.study import READINGS, Settings, checkpoint_of, chosen, configurations, run, seeds_of
from course_lib.sources import Memoryless
from studies.memoryless_study import effort, found_in, main, study_of

SMALL = Settings(budget=20, seeds=2)


# ---- what is run
def test_the_configurations_are_the_published_ones():
    assert len(set(configurations())) == 72
    assert [count(sizes) for sizes in configurations()] == [row.learnables for row in published.rows()]
    assert {sizes.v for sizes in chosen({"n": 16})} == {2, 4, 8} and len(chosen({"n": 16})) == 18
    least = chosen(smallest=4)
    assert len(least) == 12
    for v in (2, 4, 8):
        inside, outside = (
            [count(s) for s in configurations() if s.v == v and (s in least) is kept] for kept in (True, False)
        )
        assert max(inside) <= min(outside)


def test_a_reading_is_three_epochs_of_batches_of_sixteen():
    for updates, sequences in READINGS.items():
        training = Settings(budget=updates).training()
        assert (training.updates, training.sequences, training.betas) == (updates, sequences, (0.9, 0.95))
        assert 0 <= 3 * (sequences // training.batch) - updates < 3  # three epochs, less the batches that do not fit


def test_no_two_models_of_the_study_share_a_seed():
    seeds = [seed for sizes in configurations() for seed in seeds_of(sizes, 16)]
    assert len(set(seeds)) == 72 * 16
    assert seeds_of(configurations()[0], 4) == seeds_of(configurations()[0], 16)[:4]


def test_a_row_is_what_the_models_say():
    """Each number from one model at a time: its plain forward pass over every row, its own loss curve."""
    sizes = Sizes(4, 16, 8, 4, 16)
    row, p = run(sizes, SMALL), published.P[4]
    for i, seed in enumerate(seeds_of(sizes, 2)):
        trained = train(sizes, Memoryless(p), [seed], Training(updates=20), dtype=torch.float64)
        q = read(trained.ensemble, Memoryless(p)).q[0]
        assert row.err[i] == pytest.approx(100 * abs(p - q).max(), abs=1e-4)
        assert row.loss[i] == pytest.approx(-(p * torch.tensor(q).log().numpy()).sum(), abs=1e-6)
        assert row.q[i] == pytest.approx((100 * q).tolist(), abs=1e-4)
        assert row.last[i] == pytest.approx(trained.losses[0, -2:].mean(), abs=1e-6)
        assert sum(row.q[i]) == pytest.approx(100, abs=1e-3)


# ---- what is refused
def test_what_is_no_size_is_refused_by_name(capsys):
    for text, word in {"m=0": "m", "d=-1": "d", "k=3": "only", "v=3": "only"}.items():
        assert main(["--only", text]) == 2
        assert f"error: {word} must be" in capsys.readouterr().err
    for text in ("v", "v=x", "v=2=3"):
        with pytest.raises(SystemExit):
            main(["--only", text])


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("budget", 0),
        ("budget", 30_000),
        ("seeds", 0),
        ("beta2", 1.0),
        ("beta2", float("nan")),
        ("scale", "n"),
        ("dtype", "float16"),
    ],
)
def test_settings_are_checked_by_name(setting, value):
    with pytest.raises(ValueError, match=rf"^{setting} must be"):
        Settings(**{setting: value})


def test_a_row_that_was_begun_is_announced_and_a_small_one_is_said_to_be_short(tmp_path, capsys):
    """A checkpoint that is none: it is named, and refused."""
    path = tmp_path / "rows.jsonl"
    sizes, folder = Sizes(2, 16, 8, 4, 16), path.with_suffix(".progress")
    folder.mkdir()
    checkpoint_of(sizes, folder).write_bytes(b"none")
    given = ["--budget", "1500", "--only", "v=2,n=16,d=8,m=4,r=16", "--out", str(path)]
    assert main(given) == 2
    out, err = capsys.readouterr()
    assert "begun before, and taken up where it stopped: 2, 16, 8, 4, 16" in out
    assert "1 run: about 4 seconds of one core" in err  # of the 20 minutes for all
    assert "error: checkpoint " in err and "delete it to start afresh" in err


def test_what_a_row_costs_grows_with_its_learnables():
    """Of all 72 rows, the largest costs some twenty times what the smallest does, as measured."""
    costs = [effort(*sizes) for sizes in sorted(configurations(), key=count)]
    assert costs == sorted(costs) and 20 < costs[-1] / costs[0] < 30
    everything = study_of().minutes
    assert everything == pytest.approx(20) and study_of(Settings(budget=8000)).minutes == pytest.approx(
        20 * 8000 / 1500
    )
    parts = [study_of(wanted=[sizes]).minutes for sizes in configurations()]
    assert sum(parts) == pytest.approx(everything)


# ---- the stored table
def stored():
    return results.load("memoryless_study")["studies"]


def of(study):
    return Settings(**{name: study["settings"][name] for name in Settings.__dataclass_fields__})


def test_the_stored_table_is_the_whole_study():
    assert [tuple(row[name] for name in "vndmr") for row in stored()[0]["rows"]] == [tuple(s) for s in configurations()]
    assert {study["settings"]["budget"] for study in stored()} == set(READINGS)
    for study in stored():
        assert {**of(study).as_json(), "version": ""} == {**study["settings"], "version": ""}


@pytest.mark.parametrize("sizes", [Sizes(2, 16, 8, 4, 16), Sizes(4, 32, 16, 8, 32), Sizes(8, 128, 8, 4, 16)], ids=str)
def test_stored_rows_are_found_again_in_float64(sizes):
    """The first two of sixteen models of fixed rows, each trained from its seed now: what else was in the batch must
    not matter."""
    study = stored()[0]
    row = next(row for row in study["rows"] if tuple(row[name] for name in "vndmr") == sizes)
    source, settings = Memoryless(published.P[sizes.v]), of(study)
    assert settings.dtype == "float64"
    reading = read(
        train(sizes, source, seeds_of(sizes, 16)[:2], settings.training(), dtype=torch.float64).ensemble, source
    )
    assert row["err"][:2] == pytest.approx(reading.error, abs=1e-4)
    assert row["loss"][:2] == pytest.approx(reading.loss, abs=1e-4)
    assert row["range"][:2] == pytest.approx(reading.spread, abs=1e-4)
    for i in range(2):
        assert row["q"][i] == pytest.approx(100 * reading.q[i], abs=1e-4)


def test_a_row_in_progress_goes_on_from_its_last_checkpoint(tmp_path, monkeypatch, capsys):
    settings, sizes = Settings(budget=620, seeds=2), Sizes(2, 16, 8, 4, 16)
    path, folder = tmp_path / "rows.jsonl", tmp_path / "rows.progress"
    command = ["--budget", "620", "--seeds", "2", "--only", "v=2,n=16,d=8,m=4,r=16", "--out", str(path)]
    step, made = Ensemble.step, []

    def stopped(self, *given):
        made.append(1)
        if len(made) == 600:
            raise KeyboardInterrupt
        return step(self, *given)

    monkeypatch.setattr(Ensemble, "step", stopped)
    assert main(command) == 130
    assert found_in(path)[1] == {} and checkpoint_of(sizes, folder).exists()
    made.clear()
    assert "begun before" not in capsys.readouterr().out
    assert main(command) == 0
    assert "begun before, and taken up where it stopped: 2, 16, 8, 4, 16" in capsys.readouterr().out
    assert len(made) == 120  # from 500 on
    assert not folder.exists()
    monkeypatch.setattr(Ensemble, "step", step)
    assert found_in(path) == (settings, {sizes: run(sizes, settings)._asdict()})
