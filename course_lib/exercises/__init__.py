"""Exercises with a checked answer, three hints in order and a solution: the same object in a notebook and in the page.

An exercise is data: `spec()` is the JSON from which its card asks, and what is typed into the card is read and judged
there, in the page and in a notebook alike (`widgets/exercise/check.js`, `formula.js`). Nothing that is typed is ever
run as code. A prediction (`Choose`, `Number`, `Order`, `Curve`) is asked in the same way and judged by what the cells
below it have put out. Where Python is, `Function.check` runs the learner's function and returns a `Verdict`; it never
raises for what a learner gives.

Questions, options, hints and messages are plain text in Unicode with five marks: `code`, *emphasis*, **strong**, line
breaks, and outside code the index of a single letter: W_Q, s_{t−1}, W_O,2; one of three letters or more takes braces,
λ_{max}. The answers stand in the page's source: these are exercises to learn from, not an examination.
"""

from ..answers import Verdict
from .base import HINTS, Exercise
from .choice import Choice, Option
from .formula import Formula
from .function import MAX_BY_HAND, Case, Function
from .lab import checked, examination, judged
from .prediction import Choose, Curve, Idea, Number, Order, Prediction
from .reasoning import Arrange, Control, Factor, FalseLine, Line, Sketch, Step
from .value import Value
