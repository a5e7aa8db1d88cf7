"""Numbers in words: the same on a page, which knows the metric file, as in a terminal, which knows the whole number."""

from hypothesis import given
from hypothesis import strategies as st

from stages.evaluation.scoring.estimates import rounded
from stages.project.plain_text import decimals


def test_halves_go_up_wherever_a_sum_was_taken() -> None:
    # (0.1 + 0.2) * 279.1666… and its like: 83.75 on one machine, 83.74999999999999 on another
    assert decimals(83.75) == decimals(83.74999999999999) == "83.8"
    assert decimals(81.5496) == decimals(81.55) == "81.6"  # as metric files round first: 81.5496 is 81.55 there
    assert (decimals(1234.5, 0), decimals(-0.04), decimals(-12.25)) == ("1,235", "0.0", "-12.3")


@given(st.floats(-1e6, 1e6))
def test_a_metric_file_reads_as_its_number_does(value: float) -> None:
    assert decimals(value) == decimals(rounded(value))
    assert abs(float(decimals(value).replace(",", "")) - value) <= 0.0506
