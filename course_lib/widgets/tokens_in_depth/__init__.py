"""TokensInDepth: tokens of length 1 that pass layer after layer of attention, drawn on their circle or sphere, with
their groups counted."""

import traitlets

from ..base import CourseWidget


class TokensInDepth(CourseWidget):
    """n tokens under `course_lib.gaussian.sphere.sphere_layer`, layer after layer, all computed in the page from the
    seed.

    Random numbers are those of `course_lib.graphs.random.Generator`: the tokens from `seed`, d normals each, the
    matrices from 100,000 + `seed`: W_Q W_Kᵀ of all heads first, then V of all heads, which "fresh" draws anew for every
    layer; entries of variance 1/d.

    Read back, written by the front end when it has drawn (empty until then): result, with layer (the one shown), groups
    (their sizes, the largest first), cosine (the mean over pairs) and equal, that of tokens with equal angles, None
    where heads or values are random.
    """

    address = traitlets.Unicode("depth").tag(sync=True)
    result = traitlets.Dict().tag(sync=True)
