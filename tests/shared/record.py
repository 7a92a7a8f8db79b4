"""A number that stands beside a source's in book/ledger.yml: the test that the claim names says it.

def test_results_and_their_cost(record):
    assert 2 < record("L3.7.lead", big - max(before)) < 2.1
"""

import pytest
from course_book import ledger

CLAIMS = {claim.id: claim for row in ledger.load().values() for claim in row.claims}


def agree(claim: ledger.Claim, value: float | int, rtol: float = 1e-3) -> bool:
    """Is `value` the ledger's number? A count must be equal, a measure within `rtol`."""
    return value == (claim.ours if isinstance(claim.ours, int) else pytest.approx(claim.ours, rel=rtol))


@pytest.fixture
def record(request):
    """Called with a claim's id and our number (or a tensor or array of one), it returns the number, if the ledger has
    it so."""

    def recorded(name: str, value, rtol: float = 1e-3) -> float | int:
        claim, here = CLAIMS[name], request.node.nodeid.partition("[")[0]
        value = value.item() if hasattr(value, "item") else value
        assert here == claim.test, f"{name}: book/ledger.yml names {claim.test}"
        assert agree(claim, value, rtol), f"{name}: book/ledger.yml has {claim.ours}, and it is {value}"
        return value

    return recorded


def rounding(value: float, bound: float = 1e-12) -> float:
    """Zero where `value` is rounding noise: such noise differs from machine to machine and says nothing."""
    return 0.0 if abs(value) < bound else float(value)


def largest(difference, bound: float = 1e-12) -> float:
    """The largest size of an entry of a tensor or an array, zero where it is rounding noise."""
    return rounding(abs(difference).max().item(), bound)
