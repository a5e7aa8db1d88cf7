"""Texts as a reader sees them: letters that look like Latin ones become Latin, without marks on them.

This is only for comparisons that must not be evaded, such as with what an edition holds out. LOOK_ALIKES is made from
the confusables of Unicode Technical Standard 39 (© Unicode, Inc., licence Unicode-3.0). It has letters of alphabets,
small capitals and letters in boxes that look like one of a to z, themselves or as capitals, and Latin letters with a
stroke or hook. Greek σ and Serbian ћ are left out, because they would become equal to ο and н.
"""

from __future__ import annotations

import re
import unicodedata

_LOOK_ALIKES = """\
a ɑΑαАаᎪᗅᴀꓮꭺ𐊠🅐🅰🇦
b ƀƂƃƄɓʙΒβВЬвьᏏᏴᏼᑲᖯᗷᲀꓐꞴꮟ𐊂𐊡𐌁🅑🅱🇧
c ȼСсᏟᲃᴄⲤⲥꓚꮯ𐊢𐌂𐐕𐐽𐔜🅒🅲🇨
d ÐĐđƉƌɖɗԁᎠᏧᑯᗞᗪᴅꓒꓓꭰꮷ🅓🅳🇩
e ɆɇΕεЕеҽᎬᴇⴹꓰꬲꭼ𐊆𑢦𑢮𑣆𑣎🅔🅴🇪
f ƑƒϜϝքᖴᵮẝꓝꜰꞘꞙꬵ𐊇𐊥𐔥𑢢𑣂🅕🅵🇫
g ƍǤǥɠɡɢԌԍցᏀᏳᏻᶃꓖꮐ🅖🅶🇬
h ĦħɦʜΗηНнһհᎻᏂᕼⱧⲎⲏꓧꮋꮒ𐋏🅗🅷🇭
i ıƖǀɨɩɪΙιІіᎥᛁᵻᵼⲒⲓⵏꓲꙇꭵ𐊊𐌉𑣃🅘🅸🇮
j ɈɉͿϳЈјᎫᒍᴊꓙꞲꭻ🅙🅹🇯
k ĸƙΚκКкᏦᛕᴋⱩⲔⲕꓗꝀꮶ𐔘🅚🅺🇰
l ŁłƗƚɫɭʟӀӏᏞᒪⳐⳑꓡꮮ𐐛𐑃𐔦𑢣𑢲𑣒🅛🅻🇱
m ʍΜμϺϻМмᎷᗰᛖᴍⲘⲙꓟꭑꮇ𐊰𐌑🅜🅼🇲
n ƝƞɲɳɴΝոռᵰⲚⲛꓠ𐔓🅝🅽🇳
o ØøƟɵΟοОоՕօᲂᴏᴑⲞⲟⵔꓳꝊꝋꬽꬾ𐊒𐊫𐐄𐐬𐓂𐓪𐔖𑢵𑣈𑣕𑣗🅞🅾🇴
p ƥΡρРрᏢᑭᴘᴩᵽⲢⲣꓑꮲ𐊕🅟🅿🇵
q ʠԛգզⵕꞯ🅠🆀🇶
r ƦɍɼɽʀгᎡᏒᖇᴦᵲⲅꓣꭇꭈꭱꮁꮢ𐒴𐓜🅡🆁🇷
s ƽʂЅѕՏտᏕᏚᵴꓢꜱꮥꮪ𐊖𐐠𐑈𑣁🅢🆂🇸
t ŦŧƫƭƮȾΤτТтᎢᲄᲅᴛᵵⲦⲧꓔꭲ𐊗𐊱𐌕𑢼🅣🆃🇹
u ɄʋυՍսᑌᴜᵾꓴꞟꭎꭒ𐓎𐓶𑢸𑣘🅤🆄🇺
v νѴѵᏙᐯᴠⴸꓦꮩ𐔝𑢠𑣀🅥🆅🇻
w ɯѡԜԝաᎳᏔᴡꓪꝡꮃꮤ🅦🆆🇼
x ΧχХхᕁᕽᚷⲬⲭⵝꓫꞳ𐊐𐊴𐌗𐔧🅧🆇🇽
y ƴɎɏɣʏΥγУуҮүᎩᎽᶌỿⲨⲩꓬꭚꭹꮍ𐊲𑢤𑣜🅨🆈🇾
z ƵƶȤȥʐΖζᏃᴢᵶꓜꮓ𑢩𑣄𑣉🅩🆉🇿
"""
LOOK_ALIKES = {ord(other): letter for letter, others in map(str.split, _LOOK_ALIKES.splitlines()) for other in others}


def without_look_alikes(text: str) -> str:
    """Return a text whose Latin words have neither look-alikes nor marks: "ｃá҉т" becomes "cat". A word with a letter
    that looks like no Latin one keeps its letters, and the marks that are part of a letter or of its script.
    """
    if text.isascii() or _HAN.fullmatch(text):
        return text
    composed = unicodedata.normalize("NFKC", text.translate(_LUNATE))
    apart = unicodedata.normalize("NFD", composed.translate(_BLANK))
    pieces, end = [], 0
    for word in _WORD.finditer(apart.translate(_KINDS)):
        pieces += [apart[end : word.start()], word_without_look_alikes(apart[word.start() : word.end()], word[0])]
        end = word.end()
    return unicodedata.normalize("NFC", "".join([*pieces, apart[end:]]))


def word_without_look_alikes(word: str, kinds: str) -> str:
    """Do the same for a word, or a character with its marks. `kinds` are the kinds of its characters, as in _KINDS."""
    if "b" in kinds:
        return _MARKS.sub("", unicodedata.normalize("NFC", word))
    if kinds[0] == "c":
        return "".join(one for one in unicodedata.normalize("NFC", word) if unicodedata.category(one)[0] != "M")
    return "".join(one for one, kind in zip(word, kinds, strict=True) if kind == "a").translate(LOOK_ALIKES)


class _Kinds(dict[int, str]):
    """The kind of each character, computed when it first occurs: a letter that looks Latin (a), another letter (b), one
    of a script that is written without spaces (c), a mark (m), or none of these (a blank).
    """

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category, name = unicodedata.category(character), unicodedata.name(character, "")
        if code in LOOK_ALIKES or (category[0] == "L" and name.startswith("LATIN")):
            kind = "a"
        elif category[0] == "M" or name.startswith("MODIFIER LETTER"):
            kind = "m"
        elif name.startswith(("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "HANGUL")):
            kind = "c"
        else:
            kind = "b" if category[0] == "L" else " "
        self[code] = kind
        return kind


_KINDS = _Kinds()
_HAN = re.compile("[ -~\u2014\u2018-\u201d\u2026\u3001-\u3011\u4e00-\u9fff\uff01-\uff20]*")
"""Matches most Chinese texts: none of these characters is a look-alike or has a mark."""
_WORD = re.compile("[ab][abm]*|cm+|m+")
_LUNATE = {ord("ϲ"): "c", ord("Ϲ"): "C"}
"""Sigmas in the form of a c, which NFKC would turn into plain sigmas."""
_BLANK = dict.fromkeys(map(ord, "\u115f\u1160\u17b4\u17b5\u2800"))
"""Invisible letters and signs."""
_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
"""Marks that do not belong to one script."""
