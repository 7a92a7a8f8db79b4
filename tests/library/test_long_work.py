"""Long work says what it costs, keeps what is finished, and ends as if it had never been interrupted."""

import pytest

from course_lib import long_work


class Clock:
    """Time that passes only when told."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_the_cost_is_said_before_and_measured_after_the_first(capsys):
    clock, said = Clock(), []
    for seconds in long_work.runs([30, 60, 30], done=1, minutes=4, clock=clock):
        said.append(capsys.readouterr().err)
        clock.now += seconds
    said.append(capsys.readouterr().err)
    assert said[0].startswith(
        "4 runs, 1 there, 3 to go: about 3 minutes of one core. Interrupt when you like"
    )  # 3 of 4 runs, 3 of 4 minutes
    assert said[1] == "2 of 4, about 60 seconds left\n"  # measured on the first: two more of 30 seconds
    assert said[2] == "3 of 4, about 45 seconds left\n"  # two runs took 90 s
    assert said[3] == "4 of 4, in 2 minutes\n"


def test_finished_runs_that_come_from_elsewhere_are_counted_and_named(capsys):
    assert list(long_work.runs(iter("ab"), count=2, name=lambda each: f"run {each}", clock=Clock())) == ["a", "b"]
    said = capsys.readouterr().err.splitlines()
    assert (
        said[0].startswith("2 runs. Interrupt")
        and said[1] == "run a: 1 of 2, about 1 second left"
        and said[2] == "run b: 2 of 2, in 1 second"
    )


def test_nothing_left_is_said_and_nothing_run(capsys):
    assert list(long_work.runs([], done=5)) == []
    assert capsys.readouterr().err == "nothing to do: 5 runs there\n"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 second"), (89, "89 seconds"), (91, "2 minutes"), (3600, "60 minutes"), (9000, "2.5 hours")],
)
def test_durations_are_as_precise_as_an_estimate(seconds, words):
    assert long_work.spoken(seconds) == words


def test_a_command_that_is_interrupted_says_so_and_its_status_too(capsys):
    def stopped():
        raise KeyboardInterrupt

    assert long_work.interruptible(stopped, "three rows are kept") == 130
    assert capsys.readouterr().err == "interrupted: three rows are kept\n"
    assert long_work.interruptible(lambda: None) == 0 and long_work.interruptible(lambda: 2) == 2
