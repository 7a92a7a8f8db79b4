"""Attention as a map on sets of tokens and on measures: A(X, x), Γ(μ, x), their masked forms and ⋄.  [Furuya, de Hoop,
Peyré 2024]"""

from course_lib.heads import Heads, random_heads
from course_lib.incontext.limits import fluctuation
from course_lib.incontext.maps import (
    attention,
    compose,
    gamma,
    gamma_masked,
    in_context,
    in_context_masked,
    moved,
    stack,
    tokenwise,
)
from course_lib.incontext.measures import Measure, SpaceTime
from course_lib.incontext.quadrature import blurred, gaussian, on_box
