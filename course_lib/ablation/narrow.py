"""A translator whose queries and keys are narrower than its values: rows (B) of the published table, d_k < d_v."""

from typing import Any

from jaxtyping import Int
from torch import Tensor, nn

from course_lib import checks
from course_lib.attention import KeyValues, MultiHeadAttention
from course_lib.transformer import Translator, TranslatorState


class NarrowKeys(Translator):
    """`Translator`, in which every head's W_Q and W_K [h, d, k] keep the first k ≤ m columns; scores are divided by √k.

    Everything else is drawn as in the `Translator` of the same generator: a comparison of the two changes nothing but
    k. ValueError for k > m.
    """

    def __init__(self, *sizes: int, k: int, **options: Any) -> None:
        super().__init__(*sizes, **options)
        checks.positive_int("k", k)
        for module in self.modules():
            if isinstance(module, MultiHeadAttention):
                m = module.W_K.shape[-1]
                if k > m:
                    checks.fail("k", f"at most the values' width m = {m}", k)
                module.W_Q, module.W_K = (nn.Parameter(W[..., :k].detach().clone()) for W in (module.W_Q, module.W_K))

    def start(self, source: Int[Tensor, "b s"], lengths: Int[Tensor, " b"] | None = None) -> TranslatorState:
        """As `Translator.start`; the empty past has keys [b, h, 0, k] and values [b, h, 0, m]."""
        state, b = super().start(source, lengths), len(source)
        past = []
        for block in self.decoder.blocks:
            W_K, W_V = block.attention.W_K, block.attention.W_V
            past.append(KeyValues(*(W.new_zeros(b, len(W), 0, W.shape[-1]) for W in (W_K, W_V))))
        return state._replace(past=tuple(past))
