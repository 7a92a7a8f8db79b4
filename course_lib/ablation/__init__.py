"""The ablation study: what happens to a small translator when one thing of it is changed.  [after Vaswani et al. 2017,
Table 3]

`variants` says which rows there are, `study` trains and scores one of them (torch), `verdict` has the test, `table`
puts the stored runs beside the published ones. The command is studies/ablation.py.
"""

from course_lib.ablation.table import at_peak, column, side_by_side, stored
from course_lib.ablation.variants import BASE, VARIANTS, Sizes, Variant, variant
from course_lib.ablation.verdict import Compared, holm, judge, smallest_p, tail, welch
