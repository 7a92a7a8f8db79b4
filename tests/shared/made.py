"""Every class of widgets, made: in this process, and as the text of a cell."""

import numpy as np

from course_lib import widgets
from course_lib.ablation import side_by_side
from course_lib.widgets.study_table.variants import compared

NAMES = [
    name
    for name in dir(widgets)
    if name[0].isupper() and name not in ("CourseWidget", "ExerciseWidget", "PredictionWidget")
]
SETUP = """import numpy as np
from course_lib import widgets
from course_lib.ablation import side_by_side
from course_lib.widgets.study_table.variants import compared
from course_lib.results import load
"""
# What those get that are not made from settings alone.
ARGUMENTS = {
    "ContextAnswers": "[{'question': 'kernel', 'family': f'start {i + 1}', 'name': f'{k} layers', 'graph': "
    "f'in_context_{k}_1', "
    "'sizes': {'d': 4, 'h': 1, 'r': 32},"
    " 'numbers': load('in_context_targets')['runs'][f'kernel | theorem | {k}']['networks'][i]} for i in (0, 1) "
    "for k in (2, 4)]",
    "RealModel": "load('open_model')['sentences']",
    "ResidualStream": "load('residual_stream')['pairs']",
    "SamplingBars": "load('next_words')['distributions']",
    "StudyTable": "compared(side_by_side())",
    "Surface": "np.outer(np.arange(5.0), np.arange(1.0, 6.0)), description='a twisted sheet'",
}


def made(name: str, **settings: object):
    """A widget of this class with its data and these settings."""
    names = {"np": np, "widgets": widgets, "compared": compared, "side_by_side": side_by_side, "settings": settings}
    exec(SETUP, names)
    return eval(f"widgets.{name}({', '.join(filter(None, (ARGUMENTS.get(name), '**settings')))})", names)
