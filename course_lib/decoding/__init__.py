"""From next-token probabilities to sentences: greedy, beam search and sampling over any step function.

A step function reads one token a sequence and says what may follow: `step(tokens Int[b], state) -> (logits [b, v],
state)`. The state is the model's memory: a nest of tuples, lists and dicts of tensors whose first axis is b. A
transformer with its cached keys, a recurrent network and a table of pairs all fit, so one decoder serves every model of
the course.

`start` is the token that is fed first, or a list of tokens: the beginning that is to be continued. Generation stops at
`end`, or after `longest` tokens (the end counts as one). Tokens that come back are those generated, without start and
end.
"""

from course_lib.decoding.beam import BeamStep, Hypothesis, beam
from course_lib.decoding.one_by_one import greedy, restrict, sample
from course_lib.decoding.steps import DecodedSequences, State, Step, select
