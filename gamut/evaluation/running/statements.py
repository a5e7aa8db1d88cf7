"""What a reply in words decides for: its statements, what each of them claims, and how strong each is.

Names and letters are marks in it. Marks that a statement denies, or only compares with, are removed ("not a red panda",
"A and B are wrong", "stripes like a zebra"); the others are claimed. From strong to weak, a statement announces an
answer; says what the pictures are, or only a name; mentions something; is unsure or gives a reason. The strongest
statements decide: the last one, as models think aloud first; mentions must all agree. The decision must be for one
thing.
"""

from __future__ import annotations

import re

NAME, LETTER = 0xE000, 0xE100
"""Marks are private characters: for a named entity, and for an entity whose letter is given, each with its number."""
MARK, NAME_MARK, LETTER_MARK = "[\ue000-\ue1ff]", "[\ue000-\ue0ff]", "[\ue100-\ue1ff]"
OTHER = chr(NAME + 255)
"""The mark of an unknown name."""
ANNOUNCED, STATED, MENTIONED, UNSURE = 3, 2, 1, 0
MOST_STATED = 2
"""A reply that states more things than this as the answer says nothing."""

# Everything below reads lower case.
ARTICLE = r"(?:\b(?:an?|the) )?"
MARKS_IN_A_ROW = rf"{MARK}(?:(?:[\s,/&()\"'、和与或及]|\b(?:and|or|nor|an?|the|options?)\b){{0,6}}{MARK}){{0,12}}"
"""Marks one after another."""
NEGATION = (
    r"\b(?:not(?! only)|nor|neither|never|none of|cannot|unlike|except|exclud\w+|eliminat\w+|rul(?:e|ed|es|ing) out|"
    r"(?<!more )than|instead of|opposed to|wrong|incorrect|(?:anything|everything|all) but|"
    r"mistakes? (?:it|this|that|them|these) for|mistake to \w+|too \w+ to (?:say|tell|see|know)|unlikely|doubt(?:ful)?|"
    r"n'est pas|no es|kein\w*)\b|n't\b|[✗✘✖❌]|不|并非|而非|没有|排除"
    rf"|\b(?:hardly|false)(?= (?:be )?(?:an? |the )?{MARK})"
)
COMPARISON = (
    r"\b(?:like(?! to\b)|resembl\w+|similar to|compar\w+|related|relatives?|cousins?|others?|differ\w* from|"
    r"distinguish\w*|contrast|confused with|mistaken for)\b"
)
BETWEEN = rf"(?:(?!\b(?:and|that|which) (?:is|are)\b|但|应该|{MARK})[^,;:–—]){{0,40}}"
"""What may be between such words and the first mark that they are about."""
DENIAL_BEHIND = (
    r"[^\w,，、;；]{0,3}(?:(?:is|are|was|were|do|does|did|can|could|would|has|have|seems?)(?: all| both| be)?\s?"
    r"(?:n't|not|wrong|incorrect|false|mistaken|doubtful|unlikely|less likely|(?:the )?least likely|excluded|"
    r"eliminated|ruled out|out|"
    r"the (?:only )?(?:one|option)s? (?:that|which) (?:is|are|do|does)(?:n't| not))\b|"
    r"cannot\b|lacks?\b|no\b|wrong\b|incorrect\b|false\b|hardly\b|[✗✘✖❌]|[是都均也]*[不错])"
)
"""What follows denied marks."""
DENIED = re.compile(
    rf"(?:{NEGATION}|{COMPARISON}){BETWEEN}{MARKS_IN_A_ROW}|\b(?:no|without) {ARTICLE}{MARKS_IN_A_ROW}|"
    rf"{MARKS_IN_A_ROW}{DENIAL_BEHIND}|{MARKS_IN_A_ROW}(?<={LETTER_MARK}) (?:are|have) no\b|"
    rf"{MARK}(?:-(?:like|ish)| family)\b"
)
NO_OTHER = re.compile(
    r"(?:\b(?:cannot|can't|can not|couldn't|could not) be )?\b(?:nothing|none|anything|no(?: \w+)?) other than\b|"
    r"(?:\b(?:cannot|not|hardly|nobody|mistake|rul(?:e|ed|ing) out)|n't)\b[^.\n]{0,30}?\b(?:any|every)thing but\b"
)
"""What denies everything else."""
NO_DOUBT = re.compile(r"\b(?:no|without(?: a)?|beyond(?: an?y?)?|little|(?:hardly|not) any) doubt\b")
ANSWERED_QUESTION = re.compile(rf"({MARK})[^?.\n\ue000-\ue1ff]{{0,40}}\? ?(yes|no)\b")
"""A question that the reply answers at once."""
LOOKS_LIKE = re.compile(r"\b(?:looks?|seems?|appears?|sounds?|more|something) like\b")
"""Words that are unsure, without a comparison."""
ALTERNATIVE = re.compile(
    rf"(?<={NAME_MARK} or ){ARTICLE}\w+|(?<={NAME_MARK}, or ){ARTICLE}\w+|\b\w+(?=,? or {ARTICLE}{NAME_MARK})"
)
"""A word that is another possibility next to a name."""
REPLACEMENTS = ((NO_OTHER, "only"), (ALTERNATIVE, OTHER), (LOOKS_LIKE, "may be"), (NO_DOUBT, "surely"))
"""Replacements for such words, in this order."""

OTHER_NAME = r"(?:(?:also|sometimes|often|otherwise|formerly) (?:known|called|named|referred)|aka)\b"
REASON = r"(?:because|since|while|whereas|although|though)\b"
STATEMENT_END = re.compile(
    r"\n|[;。]|→|⇒|[-=]>|(?<![.!?])[.!?]+(?=[\s\"')\]])"
    rf"|,? (?={REASON}|(?:(?<!thing )(?<!\ball )but|so|therefore|thus|hence)\b)|[\s,(]{{1,2}}(?={OTHER_NAME})"
    r"|,\s?(?=(?:as|which|probably|most likely|it is|it's|this is|these are|they are)\b|因此|所以|因为|而是|但)"
)
"""Where statements end."""
ANNOUNCEMENT = re.compile(
    r"\banswer\b(?! (?:choice|option))|\bcorrect\b|\bis right\b(?! of)|\bboxed\b|\bmy (?:choice|guess|pick)\b|"
    r"\b(?:choose|pick|select|go with)\b|\bbest (?:match|fit|option|choice|guess)\b|"
    r"[✓✔✅]|答案|选(?!项)|正确"
)
STATEMENT = re.compile(
    r"\b(?:is|are|was|were|be|shows?|depicts?|features?|contains?|displays?|represents?|see|called|named?|"
    r"identified as|known as|(?:that|which) leaves)\b|'(?:s|re)\b|是|为|展示|显示"
)
QUESTION = re.compile(r"^\W*(?:is|are|does|do|what|which)\b.*\?$")
"""A question says nothing."""
FITS = re.compile(rf"{MARK} (?:fits?|match(?:es)?|it is)\b")
UNSURE_WORDS = re.compile(
    rf"^\W*(?:{REASON}|(?:which|as)\b|{OTHER_NAME})|\b(?:if|whether|could|might|may|maybe|perhaps|possibly)\b|"
    r"\?$|^\([^)]*$|因为|如果|可能|也许"
)
"""Words in statements that are unsure, give a reason or another name, or are in brackets."""
FILLER = re.compile(r"\b(?:an?|the|options?|so|therefore|thus|hence|but|most|likely|probably|definitely|final)\b|[\d_]")
"""What may be next to a mark that says everything."""
HEAD = re.compile(rf"[\s\-(\"']*{ARTICLE}({MARK})\s*[\-–—:,.()]")
"""A mark with a stop after it, at the beginning of a statement."""


def decided_numbers(text: str) -> set[int]:
    """Return the numbers that a marked reply decides for; none, or several, if it does not decide."""
    text = text.lower()
    for words, plainer in REPLACEMENTS:
        text = words.sub(plainer, text)
    text = ANSWERED_QUESTION.sub(lambda found: f"{found[1]} is {'correct' if found[2] == 'yes' else 'wrong'}", text)
    parts = STATEMENT_END.sub(lambda found: f"{found[0].strip()}\n", text).splitlines()
    statements = [bare for part in parts if claims(bare := DENIED.sub(" ", part).strip()) and not QUESTION.search(part)]
    heads = {found[1] for one in statements if (found := HEAD.match(one))}
    strengths = [strength(one, len(heads) == 1) for one in statements]
    strongest = max(strengths, default=UNSURE)
    claimed = [claims(one) for one, own in zip(statements, strengths, strict=True) if own == strongest]
    if strongest <= MENTIONED or len({min(one) for one in claimed if len(one) == 1}) > MOST_STATED:
        return set().union(*claimed)
    return claimed[-1]


def claims(statement: str) -> set[int]:
    """Return the numbers that a statement claims: what it announces, else letters, else names, else owners."""
    for part in (*reversed(ANNOUNCEMENT.split(statement)[1:]), statement):
        for mark in (LETTER_MARK, rf"{NAME_MARK}(?!'s \w)", NAME_MARK):
            if marks := re.findall(mark, part):
                return {ord(one) & 255 for one in marks}
    return set()


def strength(statement: str, one_head: bool) -> int:
    """Return how strong a statement is; `one_head`: all statements that begin with a mark and a stop have the same."""
    if UNSURE_WORDS.search(statement):
        return UNSURE
    if ANNOUNCEMENT.search(statement):
        return ANNOUNCED
    before = re.split(MARK, statement, maxsplit=1)[0].rpartition(":")[2]
    alone = re.search(r"\w", FILLER.sub("", statement)) is None
    is_said = alone or STATEMENT.search(before) or FITS.search(statement) or (one_head and HEAD.match(statement))
    return STATED if is_said else MENTIONED
