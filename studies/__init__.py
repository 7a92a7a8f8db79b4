"""Computations that are too long for a page, a command each: `python studies/NAME.py` makes
`course_lib/results/NAME.json`.

`tests/studies/test_NAME.py` makes a little of it again, and a page reads the table by `load("NAME")`.
"""
