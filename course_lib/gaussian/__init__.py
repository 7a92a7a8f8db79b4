"""Attention on a Gaussian cloud of tokens: closed forms, true samples, iteration, and learning.  [Ponti 2025, chapter
3]"""

from course_lib.gaussian.iterate import IterationPath, flow, iterate, reach
from course_lib.gaussian.maps import (
    Affine,
    Gaussian,
    affine,
    congruence,
    first_order,
    layer_matrix,
    push,
    random_covariance,
    score_spread,
)
from course_lib.gaussian.particles import AttendedParticles, attend_particles
from course_lib.heads import Heads, random_heads
