"""Names in a formula: functions, constants, Greek letters, and the spellings that mean the same."""

import math
import re

FUNCTIONS = ("exp", "ln", "log2", "sqrt", "sin", "cos", "tanh", "abs", "sigmoid")
CONSTANTS = {"e": math.e, "pi": math.pi}
# Other spellings. A reader who writes log(x) here means the natural one; σ(x) is the logistic where σ is no variable.
ALIASES = {"log": "ln", "logistic": "sigmoid", "sigma": "sigmoid"}
_GREEK_NAMES = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega
    Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"""
GREEK = dict(zip(_GREEK_NAMES.split(), "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ", strict=True))
_LETTERS = {letter: name for name, letter in GREEK.items()} | {"ϵ": "epsilon", "ϑ": "theta", "ϕ": "phi", "µ": "mu", "ς": "sigma"}
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def key(name: str) -> str:
    """What two spellings of a name share: σ₁, σ_1, sigma_1 and sigma1."""
    name = "".join(_LETTERS.get(letter, letter) for letter in name.replace("√", "sqrt").translate(_SUBSCRIPTS))
    return re.sub("_(?=[0-9])", "", name)


def symbol(name: str) -> str:
    """A name as it is shown: sigma_1 is σ₁."""
    head, _, tail = name.partition("_")
    head = GREEK.get(head, head)
    if not tail:
        return head
    return head + "".join("₀₁₂₃₄₅₆₇₈₉"[int(digit)] for digit in tail) if re.fullmatch("[0-9]+", tail) else f"{head}_{GREEK.get(tail, tail)}"


def listed(names: list[str]) -> str:
    """The names as they are shown: x, σ₁ and n."""
    shown = [symbol(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
