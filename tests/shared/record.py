"""The test that asserts a number of the ledger records it.

    def test_a_path_that_does_not_end_is_found(record):
        assert record("L1.5.endless", still_writing(10_000)) == pytest.approx(0.5, abs=1e-3)

An ordinary run compares the number with book/data/ledger_values.json. `make ledger` (`pytest --ledger`) runs the tests that the ledger
names, and no others, and writes what they record; where one fails or is interrupted, the stored numbers stay as they were.
"""

import pytest
from course_book import ledger


class Recorder:
    """Called with a claim's id and our number (or a tensor or array of one), it returns the number."""

    def __init__(self, names, stored: dict[str, float | int], writing: bool = False):
        self.names, self.stored, self.writing = set(names), stored, writing
        self.found: dict[str, float | int] = {}

    def __call__(self, name: str, value, rtol: float = 1e-3) -> float | int:
        """Fails where a count is another than the stored one, or a measure differs from it by more than `rtol`."""
        if name not in self.names:
            pytest.fail(f"{name!r} is the id of no number in {ledger.LEDGER.name}")
        value = value.item() if hasattr(value, "item") else value
        new, old = ledger.rounded(value), self.found.get(name, self.stored.get(name))
        moved = ledger.moved(old, new, rtol)
        if moved and (name in self.found or not self.writing):
            pytest.fail(f"{name} was {old} and is {new}: if that is right, run `make ledger`")
        self.found[name] = new if moved else old
        return value


RECORDER = pytest.StashKey[Recorder]()


def pytest_addoption(parser):
    parser.addoption("--ledger", action="store_true", help="run the tests that the ledger names, and write the numbers they record")


def pytest_configure(config):
    if config.getoption("ledger"):
        config.args = sorted(set(ledger.numbers().values()))


@pytest.fixture(scope="session")
def record(pytestconfig) -> Recorder:
    """Says that a value is the ledger's number of this id."""
    recorder = Recorder(ledger.numbers(), ledger.load_values(), pytestconfig.getoption("ledger"))
    pytestconfig.stash[RECORDER] = recorder
    return recorder


def pytest_sessionfinish(session, exitstatus):
    recorder = session.config.stash.get(RECORDER, None)
    if recorder is None or not recorder.writing:
        return
    if exitstatus:
        print("\nNothing is written: the stored numbers are as they were.")
        return
    # a real model's number is kept where the model is not installed and its test is skipped
    known = recorder.stored | recorder.found
    values = {name: known[name] for name in recorder.names if name in known}
    ledger.write_values(values)
    changed = sum(recorder.stored.get(name) != value for name, value in values.items())
    print(f"\n{len(recorder.found)} numbers recorded, {changed} changed, {len(recorder.names) - len(values)} missing.")


def rounding(value: float, bound: float = 1e-12) -> float:
    """Zero where `value` is rounding noise: such noise differs from machine to machine and says nothing."""
    return 0.0 if abs(value) < bound else float(value)


def largest(difference, bound: float = 1e-12) -> float:
    """The largest size of an entry of a tensor or an array, zero where it is rounding noise."""
    return rounding(abs(difference).max().item(), bound)
