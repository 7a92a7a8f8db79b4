"""GaussianAttention: a Gaussian cloud of the plane through layers of attention, closed form and softmax particles side
by side."""

import math

import numpy as np
import traitlets

from ..base import CourseWidget


class GaussianAttention(CourseWidget):
    """N(μ, Σ) in the plane, and n particles drawn from it, after 0 … 8 layers x ↦ x + ε Σ_h attention, all with the
    same heads.

    The closed form is `course_lib.gaussian.push`, the particles move by the true softmax over themselves,
    `attend_particles`; random numbers are those of `course_lib.graphs.random.Generator(seed)`, two normals a particle.

    Read back, written by the front end when it has drawn (empty until then): result, with layer (the one shown), mean,
    covariance, particle_mean, particle_covariance, effective (1/Σ w², the mean over heads and queries, None at the
    start), and end and particles_end, the layer at which float64 overflows, None where it does not.
    """

    address = traitlets.Unicode("gaussian").tag(sync=True)
    result = traitlets.Dict().tag(sync=True)

    @property
    def covariance(self) -> np.ndarray:
        """Σ [2, 2] of the start: Rᵀ diag(spread²) R, the rows of R along the axes."""
        turn = math.radians(self.angle)
        R = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
        return R.T @ np.diag(np.square(self.spread)) @ R
