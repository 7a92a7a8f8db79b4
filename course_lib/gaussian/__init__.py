"""Attention on a Gaussian cloud of tokens: closed forms, true samples, iteration, and learning.  [Ponti 2025, chapter 3]"""

from course_lib.gaussian.iterate import IterationPath as IterationPath
from course_lib.gaussian.iterate import flow as flow
from course_lib.gaussian.iterate import iterate as iterate
from course_lib.gaussian.iterate import reach as reach
from course_lib.gaussian.maps import Affine as Affine
from course_lib.gaussian.maps import Gaussian as Gaussian
from course_lib.gaussian.maps import affine as affine
from course_lib.gaussian.maps import congruence as congruence
from course_lib.gaussian.maps import first_order as first_order
from course_lib.gaussian.maps import layer_matrix as layer_matrix
from course_lib.gaussian.maps import push as push
from course_lib.gaussian.maps import random_covariance as random_covariance
from course_lib.gaussian.maps import score_spread as score_spread
from course_lib.gaussian.particles import AttendedParticles as AttendedParticles
from course_lib.gaussian.particles import attend_particles as attend_particles
from course_lib.heads import Heads as Heads
from course_lib.heads import random_heads as random_heads
