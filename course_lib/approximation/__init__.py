"""Four layers approximate any continuous function: Monico's elementary proof as a builder.  [Ponti 2025, §2.2.1; Monico
2024]

`step` is lemma 2.3, `guard` lemma 2.4, `separate` lemma 2.5, `steps` and `build` theorem 2.2. Points are rows; boxes
have dimension 1 or 2.
"""

from course_lib.approximation.builder import PROOF, BudgetError, Built, Correction, Rule, balanced, build, steps
from course_lib.approximation.grids import Grid, grid_on
from course_lib.approximation.guards import Guard, guard
from course_lib.approximation.network import FourLayerNetwork, assemble
from course_lib.approximation.separators import Separator, separate
from course_lib.approximation.squash import arctan, check_squashing, clip, logistic, preimage, step
