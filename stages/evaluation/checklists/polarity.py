"""Inverted questions: those to which Y says that the answer failed.

"Does the response incorrectly claim …?" is one; "Does the response avoid …?" and "… without distortion?" are none: they
turn around what they speak against. So only what stands in front of such a turn counts, and in front of what is merely
reported: "Does the text state that the pilot wrongly …?" asks for content.
"""

from __future__ import annotations

import re

from stages.evaluation.checklists.wording import straight, without_asides, without_quotations

_SOME = r"(?:(?!that\b)[\w'-]+,? ){0,4}?"
_ANSWER = (
    r"(?:response|answer|output|text|reply|explanation|analysis|description|solution|result|model|statement|caption|"
    r"summary|conclusion|image|picture|photo|photograph|drawing|painting|diagram|illustration|figure|edit|graph|chart|"
    r"poster|scene|design|map|rendering|depiction|it)"
)
_ASKED = r"(?:reference|prompt|question|task|request|instructions?|source|context|description|constraints?)"
"""What an answer is held against; `original` is not among it: an edit may well have what that has not."""
_FAULTY = (
    r"(?:incorrectly|wrongly|erroneous(?:ly)?|mistaken(?:ly)?|falsely|improperly|needlessly|accidentally|inadvertently|"
    r"unintentionally|inaccura\w+|inappropriate\w*|misleading\w*|inconsisten\w+|contradict\w*|conflicts? with|"
    r"mis(?:identif|represent|interpret|label|spell|attribut|count|plac|read|quot|underst|lead|inform|align|nam)\w*|"
    r"omits?|ignor\w+|neglect\w*|overlook(?:s|ed)?|forgets?|forgotten|disregard\w*|violat\w+|deviat\w+|fabricat\w+|"
    r"hallucinat\w+|confuse[sd]?|conflat\w+|ambigu\w+|vague\w*|unclear|illegib\w+|unreadable|garbled|deformed|"
    r"deformit\w+|malformed|misshapen|disfigured|art[ei]facts|glitch\w*|smudg\w+|blemish\w*|bleeds?|unnatural\w*|"
    r"unrealistic\w*|implausib\w+|unrelated|irrelevan\w+|extraneous|superfluous|redundan\w+|unnecessar\w+|"
    r"unneeded|unrequested|unwanted|undesired|unintended|unsupported|unanswered|unaddressed|nonsens\w+|incoheren\w+|"
    r"typos?|leaves? (?:behind|out)|out of place|in any way|contrary to|despite (?:the )?" + _ASKED + ")"
)
"""Words that speak of an answer's faults wherever they stand in its main clause."""
_FAIL = r"(?:fail|make up|leave out|invent|skip|miss|lack|stray|mistake|distort|deceive|misstate)"
"""What only an answer does by its fault: a light ray may miss the lens."""
_WRONG = r"(?:incorrect|wrong|false|untrue|invented|made-up|unexpected|biased|toxic|harmful|offensive|incomplete)"
_FAULT = (
    r"(?:(?:visual |factual )?(?:errors?|mistakes?)(?! (?:messages?|codes?|bars?|rates?|logs?|terms?|reports?))|"
    r"distortions?|discrepanc(?:y|ies)|deformations|anomal(?:y|ies)|flaws?|defects?|mismatch(?:es)?|bias|profanity)"
)
_LEFT = r"(?:remnants?|residues?|traces?|seams?|halos?|gaps?|watermarks?|ghosting|leftovers?|noise|blur\w*|pixelation)"
_MISSED = r"(?:missing|incorrect|wrong|misspelt|cut off|omitted|skipped|left out|lost|swapped|padded|distorted)"
_CHANGED = r"(?:altered|changed|modified|edited|added|removed|deleted|moved|distorted|introduced|damaged|lost|marked)"
_SHOWS = (
    r"(?:contain|include|show|have|has|add|use|introduce|feature|depict|display|exhibit|present|produce|create|leave|"
    r"make|draw|suffer from|enclose|reveal)"
)
_SAYS = rf"(?:{_SHOWS}|mention|list|name|provide|suggest|identify|claim|state)"
_IS_SHOWN, _IS_SAID = (rf"\b(?:(?:is|are) there|{verbs})" for verbs in (_SHOWS, _SAYS))
_FEW = r"(?:(?!(?:of|on|in|at|with|for|from|to|the|as)\b)[\w'-]+,? )"

_TURN = re.compile(
    r"\b(?:without|avoid\w*|refrain\w*|prevent\w*|free (?:of|from)|devoid|absen\w+|exclu\w+|not|no|never|nor|neither|"
    r"none|nothing|cannot|rather than|instead of|as opposed to|unlike|(?:correctly|properly|rightly|deliberately|"
    r"intentionally|appropriately|successfully) (?:omit\w*|ignor\w*|leav\w+|lack\w*|remov\w+|reject\w*|disregard\w*))\b"
)
_REPORTED = re.compile(r"(?<!^)\b(?:that|which|who|whose|because|whether|how|why|where|while|when|as if|if)\b")

_TURNED_BACK = re.compile(r"\bnot (?:\w+ )?in the (?:\w+ )?(?:image|picture|answer|response|text|output)\W*$")
"""What ends "Are there any remnants of the wolf …": people put it there to turn the question around."""
WHOLE = (
    # "…, which would be incorrect?"
    r"\b(?:which|this|that|and it|it) (?:would|should|will|must) (?:be|count as|constitute|mean|make it) (?:\w+ ){0,2}"
    r"(?:incorrect|wrong|inaccurate|mistakes?|errors?|failure|faults?|violation)\b",
    r"[,(–-] ?(?:which|this) is (?:incorrect|wrong|inaccurate|an error|a mistake|not (?:requested|correct))\W*$",
)
"""Patterns of a straight question without its quotations."""
CLAUSES = (
    # "… things that should not be there?", "… statements that are false?", "… that is not in the reference?"
    rf"{_IS_SAID} (?:[\w'-]+,? ){{1,8}}?(?:that|which) (?:[\w'-]+ ){{0,3}}?(?:should|must|do|does|was|were|is|are)"
    r"(?:n't| not) (?:be|have|appear|belong|exist|occur|part|supposed|meant|asked|requested|mentioned|supported|wanted|"
    r"needed|required|specified)\b",
    rf"{_IS_SHOWN} (?:[\w'-]+,? ){{1,8}}?(?:that|which) (?:is|are) (?:\w+ly )?{_WRONG}\b",
    rf"{_IS_SAID} (?:[\w'-]+,? ){{1,8}}?(?:(?:that|which) (?:is|are|was|were) )?(?:not (?:\w+ )?(?:in|by)|absent from|"
    rf"missing from) (?:the |its )?{_ASKED}\b",
    rf"{_IS_SAID} any\b[^?]*\bnot (?:present|mentioned|requested|asked|part|specified|supported|required|found|"
    r"described|shown|listed)\b",
    rf"\bcontrary to (?:the |what )?(?:{_ASKED}|is|was)\b",
    rf"\b(?:nobody|no one|the {_ASKED} (?:never|does not|did not)) (?:ask|request|want|mention|call|requir)\w*\b",
    r"\b(?:claims?|statements?|assertions?|conclusions?)\b.* without (?:\w+ )?(?:evidence|support|basis|sources?|"
    r"justification|proof)\b",
    # "Do any two neighbouring regions have the same color?"
    r"\b(?:do|are) any two\b.*\b(?:same|share|overlap|identical|alike|touch)\b",
    # "Does the response not mention …?", "Has the logo not been added?"
    rf"^(?:does|do|did) (?:the |this |any )?{_SOME}{_ANSWER} (?:\w+ )?(?:not|never) (?!only\b|just\b|merely\b)\w+"
    r"(?! any\b| \w+ any\b)",
    r"^(?:has|have) [^,?]*? not been (?:\w+ly )?\w+ed(?!,? (?:matching|consistent|as |in line))",
    # "Is the bridge absent from the answer?"
    r"^(?:is|are) [^,?]*\babsent from the (?:final |generated )?(?:response|answer|text|output|explanation|reply)\b",
)
"""Patterns of the same without what stands in brackets."""
MAIN = (
    # "Does the response fail to provide …", "Does the image get … wrong"
    r"\b(?:does|do|did|has|have) .*\b(?:fail|failed|neglected|forgotten) to\b",
    r"\b(?:gets?|got|gotten) .*\bwrong\b",
    rf"\b(?:does|do|did|would|could|might|has|have) (?:the |this |any )?{_SOME}{_ANSWER} (?:\w+ly |also )?{_FAIL}\b",
    # "Does the image contain a spelling error", "… any remnants", "… false statements", "… too many fingers"
    rf"{_IS_SAID} {_FEW}{{0,5}}{_FAULT}(?![\w'-])",
    rf"{_IS_SAID} (?:any|some) (?:[\w'-]+,? ){{0,4}}?{_LEFT}(?![\w'-])",
    r"\bis there (?:a |visible |noticeable |obvious |excessive )+(?:watermark|noise|blur\w*|pixelation|ghosting)\b",
    rf"^(?:is|are) (?:any |some )?{_LEFT} of\b[^?]*\b(?:left|visible|present|there)\b",
    rf"{_IS_SHOWN} {_FEW}{{0,2}}?{_WRONG}\b",
    rf"{_IS_SHOWN} .*\btoo (?:many|few)\b",
    # "Are there any other edits …", "Does the image use any colors other than …", "Are things other than … altered?"
    rf"{_IS_SAID} any (?:\w+ or )?(?:{_WRONG}|additional|extra|other)\b",
    rf"{_IS_SAID} any\b.*\b(?:other than|apart from|aside from|besides|beyond|outside of)\b",
    rf"\b(?:has|have) any\b.*\b(?:other|outside of)\b.*\bbeen (?:\w+ly )?{_CHANGED}\b",
    rf"\b(?:is|are|was|were) any other\b.*\b(?:circled|highlighted|{_CHANGED})\b",
    rf"\b(?:is|are|has|have) [^,?]*\b(?:other than|apart from|besides|outside of)\b[^?]*\b{_CHANGED}\W*$",
    rf"\b(?:is|are|has|have) only (?:a )?parts? of\b[^?]*\b(?:replaced|{_CHANGED})\b",
    rf"\b{_SHOWS} any\b[^,]*, ensuring\b",
    # "Does the icon obstruct any key information …"
    r"\b(?:obstruct|obscure|block|hide|overlap|overlap with|interfere with|clash with|damage|cut off) any\b",
    # "Are any labels missing …", "Is the title distorted?", "Does the hand look wrong?"
    rf"^(?:is|are|was|were|has|have) (?:(?!, (?:with|as|showing|such)\b)[^?])*\b{_MISSED}"
    r"(?: (?:from|in|on|with|within|to|by|at|(?:critical|important|key|essential|necessary) \w+)\b|"
    r"(?:,? (?:or|and) [\w ]{1,20})?\W*$)",
    rf"\b(?:look|appear|seem) (?:\w+ly |too )?(?:{_WRONG}|{_MISSED})\W*$",
    rf"^(?:is|are|was|were) (?:the |this |any )?{_SOME}{_ANSWER}s? (?:\w+ly |too )?{_WRONG}\b",
)
"""Patterns of its main clause: in front of what turns it around, and of what is only reported."""
_WHOLE, _CLAUSES, _MAIN = (re.compile("|".join(patterns)) for patterns in (WHOLE, CLAUSES, MAIN))
_IS_FAULTY = re.compile(rf"\b{_FAULTY}\b")
_TOLD = re.compile(
    r"\b(?:mention|identify|explain|describe|specify|state|conclude|discuss|clarify|name|note|acknowledge|recogni[sz]e|"
    r"point out|analy[sz]e|summari[sz]e|characteri[sz]e|detect|locate|highlight|correct|fix|repair|restore|remove|"
    r"replace|resolve)(?:s|d|ed)?\b"
)
"""Behind it a fault may be what the answer is to tell of, or to mend."""


def inverted(question: str) -> bool:
    """Return whether Y to a question of a checklist would say that the answer failed, as far as its words tell."""
    text = without_quotations(straight(question))
    if _WHOLE.search(text) or _TURNED_BACK.search(text):
        return _TURNED_BACK.search(text) is None
    text = without_asides(text)
    if _CLAUSES.search(text):
        return True
    main = main_clause(text)
    return bool(_MAIN.search(main) or _IS_FAULTY.search(_TOLD.split(main, 1)[0]))


def main_clause(text: str) -> str:
    """Return what of a question stands in front of what turns it around, or of what is only reported in it."""
    ends = [found.start() for found in (_TURN.search(text), _REPORTED.search(text)) if found]
    return text[: min(ends, default=len(text))]
