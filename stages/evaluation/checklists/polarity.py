"""Inverted questions: those to which Y says that the answer failed.

"Does the response incorrectly claim …?" is one; "Does the response avoid …?" and "… without distortion?" are none: they
turn around what they speak against. So only what stands in front of such a turn counts, and in front of what is merely
reported: "Does the text state that the pilot wrongly …?" asks for content.
"""

from __future__ import annotations

import re

from stages.evaluation.checklists.wording import straight, without_asides, without_quotations

_WORDS = r"(?:(?!that\b)[\w'-]+,? ){0,4}?"
_ANSWER = (
    r"(?:response|answer|output|text|reply|explanation|analysis|description|solution|result|model|statement|caption|"
    r"summary|conclusion|image|picture|photo|photograph|drawing|painting|diagram|illustration|figure|edit|graph|chart|"
    r"poster|scene|design|map|rendering|depiction|it)"
)
_FAULTY = (
    r"(?:incorrect|wrong|false|erroneous|inaccurate|invented|fabricated|misleading|extraneous|superfluous|unrelated|"
    r"irrelevant|unrequested|unwanted|undesired|unintended|unexpected|unnecessary|unneeded|unwarranted|unsupported|"
    r"unauthorized|additional|extra|other)"
)
_FAULT = (
    r"(?:(?:visual |factual )?(?:errors?|mistakes?)(?! (?:messages?|codes?|bars?|rates?|logs?|terms?|reports?))|"
    r"art[ei]facts|distortions?|inaccurac(?:y|ies)|inconsistenc(?:y|ies)|contradictions?|discrepanc(?:y|ies)|"
    r"glitch(?:es)?|smudges|blemishes|deformit(?:y|ies)|deformations|anomal(?:y|ies)|misspellings?|typos?|flaws?|"
    r"defects?|hallucinations?|fabrications?|mismatch(?:es)?)"
)
_LEFT = r"(?:remnants?|residues?|traces?|seams?|halos?|gaps?|watermarks?|blurring|ghosting|art[ei]fact|leftovers?)"
_SHOWS = (
    r"(?:contain|include|show|have|has|add|use|introduce|feature|depict|display|exhibit|present|produce|create|leave|"
    r"mention|list|name|provide|suggest|identify|claim|state|make|suffer from|enclose|reveal)"
)
_THERE_IS = rf"\b(?:(?:is|are) there|{_SHOWS})"
_CHANGED = r"(?:altered|changed|modified|edited|added|removed|deleted|moved|distorted|introduced|damaged|lost|marked)"

_TURN = re.compile(
    r"\b(?:without|avoid\w*|refrain\w*|prevent\w*|free (?:of|from)|devoid|absen\w+|exclu\w+|not|no|never|nor|neither|"
    r"none|nothing|cannot|rather than|instead of|as opposed to|unlike|(?:correctly|properly|rightly|deliberately|"
    r"intentionally|appropriately|successfully) (?:omit\w*|ignor\w*|leav\w+|lack\w*|remov\w+|reject\w*|disregard\w*))\b"
)
_REPORTED = re.compile(r"(?<!^)(?<!, )\b(?:that|which|who|whose|because|whether|how|why|where|while|when|as if|if)\b")

_SAID_TO_BE_WRONG = re.compile(
    r"\b(?:which|this|that|and it|it) (?:would|should|will|must) (?:be|count as|constitute|mean|make it) (?:\w+ ){0,2}"
    r"(?:incorrect|wrong|inaccurate|mistakes?|errors?|failure|faults?|violation)\b"
    r"|[,(–-] ?(?:which|this) is (?:incorrect|wrong|inaccurate|an error|a mistake|not (?:requested|correct))\W*$"
)
_UNWANTED = re.compile(
    rf"{_THERE_IS} (?:[\w'-]+,? ){{1,8}}?(?:that|which) (?:[\w'-]+ ){{0,3}}?(?:should|must|do|does|"
    r"was|were|is|are)(?:n't| not) (?:be|have|appear|belong|exist|occur|part|supposed|meant|asked|requested|mentioned|"
    r"supported|wanted|needed|required|specified)\b"
    rf"|{_THERE_IS} any\b[^?]*\bnot (?:present|mentioned|requested|asked|part|specified|supported|"
    r"required|found|described|shown|listed)\b"
)
_TWO_ALIKE = re.compile(r"\b(?:do|are) any two\b.*\b(?:same|share|overlap|identical|alike|touch)\b")
_NOT_DONE = re.compile(
    rf"^(?:does|do|did) (?:the |this |any )?{_WORDS}{_ANSWER} (?:\w+ )?(?:not|never) (?!only\b|just\b|merely\b)\w+"
    r"(?! any\b| \w+ any\b)|^(?:has|have) [^,?]*? not been (?:\w+ly )?\w+ed(?!,? (?:matching|consistent|as |in line))"
)
_MAIN = re.compile(
    "|".join(
        (
            # "Does the response incorrectly claim …", "Has any part been erroneously removed"
            r"\b(?:incorrectly|wrongly|erroneously|mistakenly|falsely|improperly|inaccurately|inappropriately|"
            r"unnecessarily|needlessly|accidentally|inadvertently|unintentionally|misleadingly)\b",
            # "Does the response fail to provide …"
            r"\b(?:does|do|did) .*\b(?:fail|neglect|forget) to\b",
            rf"\b(?:does|do|did) (?:the |this |any )?{_WORDS}{_ANSWER} (?:\w+ly |also |still )?(?:fail|omit|ignore|"
            r"overlook|disregard|contradict|misidentify|misrepresent|misinterpret|misstate|mislabel|misspell|misattribute|"
            r"miscount|misplace|misread|misquote|misunderstand|mistake|confuse|conflate|distort|violate|fabricate|"
            r"hallucinate|invent|make up|leave out|skip|miss|lack|deviate|stray|conflict with|contradict)\b",
            # "Are there any visible artifacts …", "Does the image contain a spelling error"
            rf"{_THERE_IS} (?:(?!(?:of|on|in|at|with|for|from|to|the|as)\b)[\w'-]+,? ){{0,5}}{_FAULT}"
            r"(?![\w'-])",
            rf"{_THERE_IS} any (?:[\w'-]+,? ){{0,4}}?{_LEFT}(?![\w'-])",
            # "Are there any other edits …", "Does the image use any colors other than …"
            rf"{_THERE_IS} any (?:\w+ or )?{_FAULTY}\b",
            rf"{_THERE_IS} any\b.*\b(?:other than|apart from|aside from|besides|beyond|outside of)\b",
            rf"\b(?:has|have) any\b.*\b(?:other|outside of)\b.*\bbeen (?:\w+ly )?{_CHANGED}\b",
            rf"\b(?:is|are|was|were) any other\b.*\b(?:circled|highlighted|{_CHANGED})\b",
            rf"\bbeen {_CHANGED} in any way\b",
            rf"\b{_SHOWS} any\b[^,]*, ensuring\b",
            # "Does the icon obstruct any key information …"
            r"\b(?:obstruct|obscure|block|hide|overlap|overlap with|interfere with|clash with|damage|cut off) any\b",
            # "Are any labels missing …", "Is the title misspelled?"
            r"^(?:is|are|was|were) [^,?]*\b(?:missing|incorrect|wrong|inaccurate|misspelled|misspelt|garbled|illegible|"
            r"unreadable|misplaced|misaligned|mislabeled|mislabelled|out of place|inconsistent)"
            r"(?: (?:from|in|on|with|within|to|by|at|or)\b|\W*$)",
        )
    )
)


def inverted(question: str) -> bool:
    """Return whether Y to a question of a checklist would say that the answer failed, as far as its words tell."""
    text = without_quotations(straight(question))
    if _SAID_TO_BE_WRONG.search(text):
        return True
    text = without_asides(text)
    if _UNWANTED.search(text) or _NOT_DONE.search(text) or _TWO_ALIKE.search(text):
        return True
    return _MAIN.search(main_clause(text)) is not None


def main_clause(text: str) -> str:
    """Return what of a question stands in front of what turns it around, or of what is only reported in it."""
    ends = [found.start() for found in (_TURN.search(text), _REPORTED.search(text)) if found]
    return text[: min(ends, default=len(text))]
