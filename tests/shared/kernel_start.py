"""Started in the kernel of every notebook that nbval executes (PYTHONSTARTUP, set in tools/notebooks/nbval_hooks.py):
`ask` holds each function to its word.

A function's solution is code: it is run among the names of the page, as a learner would run it, and must pass the
exercise's `check`; every typical mistake must fail with its own hint. An exercise that fails raises, and with it its
cell. The other kinds are judged by their cards alone, and held there: test_exercise_specs.py. Nothing is imported here
and no output changes: the hook waits until the page itself has imported `course_lib`.

With COURSE_MOVE_LAST_BITS in the environment the page's inputs are moved by a last bit, too (moved_inputs.py beside
this file).
"""


def _hold_exercises():
    import sys
    import warnings

    shell = get_ipython()  # noqa: F821  IPython puts it there

    def solved(exercise):
        """The function that the solution writes: whole, or under the starter's first line as in the labs."""
        code = exercise.solution
        if f"def {exercise.name}(" not in code:
            code = exercise.starter.splitlines()[0] + "\n" + "\n".join("    " + line for line in code.splitlines())
        names = dict(shell.user_ns)
        exec(code, names)
        return names[exercise.name]

    def hold(exercise):
        for answer, hint in [(solved(exercise), None), *exercise.mistakes]:
            with warnings.catch_warnings(action="ignore"):  # a mistake may divide by 0
                verdict = exercise.check(answer)
            if verdict.correct != (hint is None) or (hint is not None and verdict.message != hint):
                raise AssertionError(
                    f"exercise {exercise.id}: {answer!r} should get {hint or 'a pass'!r}, got: {verdict}"
                )

    def before_cell(*_):
        module = sys.modules.get("course_lib.widgets.exercise")
        if module is None:
            return
        shell.events.unregister("pre_run_cell", before_cell)
        begin = module.ExerciseWidget.__init__

        def __init__(self, exercise):
            if type(exercise).__name__ == "Function":
                hold(exercise)
            begin(self, exercise)

        module.ExerciseWidget.__init__ = __init__

    shell.events.register("pre_run_cell", before_cell)


def _move_last_bits():
    import os
    import runpy
    from pathlib import Path

    if "COURSE_MOVE_LAST_BITS" in os.environ:
        beside = Path(os.environ["PYTHONSTARTUP"]).parent
        runpy.run_path(str(beside / "moved_inputs.py"))["move_last_bits"]()


_hold_exercises()
_move_last_bits()
del _hold_exercises, _move_last_bits
