"""Attention as a map on sets of tokens and on measures: A(X, x), Γ(μ, x), their masked forms and ⋄.  [Furuya, de Hoop, Peyré 2024]"""

from course_lib.heads import Heads as Heads
from course_lib.heads import random_heads as random_heads
from course_lib.incontext.limits import fluctuation as fluctuation
from course_lib.incontext.maps import attention as attention
from course_lib.incontext.maps import compose as compose
from course_lib.incontext.maps import gamma as gamma
from course_lib.incontext.maps import gamma_masked as gamma_masked
from course_lib.incontext.maps import in_context as in_context
from course_lib.incontext.maps import in_context_masked as in_context_masked
from course_lib.incontext.maps import moved as moved
from course_lib.incontext.maps import stack as stack
from course_lib.incontext.maps import tokenwise as tokenwise
from course_lib.incontext.measures import Measure as Measure
from course_lib.incontext.measures import SpaceTime as SpaceTime
from course_lib.incontext.quadrature import blurred as blurred
from course_lib.incontext.quadrature import gaussian as gaussian
from course_lib.incontext.quadrature import on_box as on_box
