"""Compound questions: those that ask for two things, so that an answer may be right in one of them and wrong in the
other.
"""

from __future__ import annotations

import re

from stages.evaluation.checklists.wording import straight, without_asides, without_quotations

_ASKS = r"(?:is|are|was|were|does|do|did|can|will)"
_NAMED = r"(?:there|it|they|he|she|its|his|her|their|the|this|that|these|those|both|all|each|any)"
_SOMETHING = rf"(?:{_NAMED}|a|an|at least|one|two|three)"
_TELLS = r"(?:mention|identify|explain|describe|specify|state|conclude|discuss|clarify|name|list|define)"
_SHOWS = (
    r"(?:show|depict|display|include|contain|feature|illustrate|represent|indicate|highlight|provide|present|use|have|"
    r"maintain|retain|preserve|link|connect|attribute|compare|recommend|suggest|follow|match|add|remove|replace|label)"
)
_SET = (
    r"(?:labell?ed|annotated|identified|described|positioned|placed|named|spelled|associated|highlighted|colou?red|"
    r"outlined|rendered|drawn|painted)"
)
_TWO_CLAUSES = re.compile(
    rf"\band (?:then |also |if so,? |in addition,? )?(?:{_ASKS} {_SOMETHING}|(?:has|have) {_NAMED})\b"
    rf"|\?[\s'\")]*(?:and )?{_ASKS} {_SOMETHING}\b"
    r"|\bthat\b[^?]*\band (?:also )?that\b"
    r"|(?:, while (?:the|its|his|her|their|all|others?)|\bwhile the others?)\b[^,?]*"
    r"\b(?:is|are|was|were|remains?|has|have)\b"
    rf"|^(?:is|are|has|have) (?:(?!that\b|which\b|to\b)[^\s?]+ )*?(?:\w+ed|shown|drawn|made|present|visible)\b"
    rf"(?:(?!that\b|which\b)[^?])*?\band (?:\w+ly )?{_SET}\b"
)
_TWO_VERBS = re.compile(
    rf"\b(?:does|do|did) [^?]*?\b(?:{_TELLS}|{_SHOWS})\b(?P<first>[^?]*?),? and (?:then |also |\w+ly )?"
    rf"(?:(?P<tells>{_TELLS})|{_SHOWS}) (?:{_SOMETHING}|how|why|what|whether|some|several|x)\b"
)
LONGEST = 1000
_REPORTS = re.compile(r"\b(?:that|how|why|whether|to \w+)\b")


def compound(question: str) -> bool:
    """Return whether a question asks for two things: it has two clauses, or two verbs, that may be answered apart.

    Things of one kind in a row ("a red car and a dog") are one question here. What is longer than `LONGEST` characters
    is more than one, whatever it says.
    """
    if len(question) > LONGEST:
        return True
    text = without_asides(without_quotations(straight(question)))
    if _TWO_CLAUSES.search(text):
        return True
    found = _TWO_VERBS.search(text)
    return found is not None and (found["tells"] is not None or _REPORTS.search(found["first"]) is None)
