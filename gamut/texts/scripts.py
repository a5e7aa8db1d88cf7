"""In which letters a language is written, by its English name, and whether a translation is in them. Languages of the
same letters are not told apart, nor traditional and simplified Chinese.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Mapping

from gamut.project.errors import nearest_choice
from gamut.texts.chinese import Translation

LANGUAGES = """\
HIRAGANA Japanese; KATAKANA Japanese; CJK Japanese Chinese Mandarin Cantonese Hakka Hokkien Shanghainese Taiwanese;
HANGUL Korean; THAI Thai; LAO Lao; CYRILLIC Abkhazian Avaric Bashkir Belarusian Bulgarian Chechen Chuvash Kazakh Kirghiz
Komi Kyrgyz Macedonian Mongolian Ossetian Ossetic Russian Rusyn Serbian Tajik Tatar Ukrainian Uzbek Yakut; ARABIC Arabic
Balochi Dari Farsi Kashmiri Kurdish Panjabi Pashto Persian Punjabi Pushto Saraiki Sindhi Sorani Uighur Urdu Uyghur;
DEVANAGARI Bhojpuri Dogri Hindi Kashmiri Konkani Maithili Marathi Nepali Sanskrit Sindhi; BENGALI Assamese Bengali;
GURMUKHI Panjabi Punjabi; GUJARATI Gujarati; ORIYA Odia Oriya; TAMIL Tamil; TELUGU Telugu; KANNADA Kannada; MALAYALAM
Malayalam; SINHALA Sinhala Sinhalese; THAANA Dhivehi Divehi; MYANMAR Burmese; KHMER Khmer; TIBETAN Dzongkha Tibetan;
MONGOLIAN Mongolian; YI Yi; GEORGIAN Georgian; ARMENIAN Armenian; ETHIOPIC Amharic Tigrinya; HEBREW Hebrew Yiddish;
GREEK Greek; LATIN Afrikaans Albanian Aromanian Bosnian Catalan Croatian Czech Danish Dutch Estonian Finnish French
Galician German Guarani Hungarian Icelandic Indonesian Irish Italian Javanese Kurdish Latin Latvian Lithuanian Malay
Maltese Norwegian Polish Portuguese Romani Romanian Serbian Slovak Slovenian Sorbian Spanish Sundanese Swahili Swedish
Turkish Uzbek Vietnamese Welsh"""
"""Languages by the first word of their letters' Unicode names. All others count as Latin; some of those stand here, so
that they are not taken for misspelt names."""
WRITTEN_IN = {script: names for script, *names in map(str.split, LANGUAGES.split(";"))}
NAMES = {*re.findall("[A-Z][a-z]+", LANGUAGES)}
MARKS = "[\"'“”„‟‘’‚‛«»‹›「」『』【】〝〞〟＂《》〈〉״]"
QUOTED = rf"{MARKS}\s*{{}}[\s.,!?…、。，！？،।]*{MARKS}"
"""Words as all that stands between two quotation marks, but for punctuation and spaces."""


def require_language(language: str) -> str:
    """Raise ValueError if a name cannot be a language to translate into, or is nearly a known one."""
    if not re.fullmatch("[A-Za-zÀ-ɏ]{3,}([ -][A-Za-zÀ-ɏ]+)*", language):
        raise ValueError("its name in English is expected, such as Japanese: letters, blanks and hyphens")
    if "English" in (words := re.split("[ -]", language.title())):
        raise ValueError("English is always there: remove it")
    for word in words if NAMES.isdisjoint(words) else ():
        if difflib.get_close_matches(word, NAMES, n=1, cutoff=0.8):
            raise ValueError(f"there is no language {word!r}{nearest_choice(word, NAMES)}")
    return language


def scripts_of(language: str) -> list[str]:
    """Return the scripts of a language; of several words the last known one counts (`Egyptian Arabic`)."""
    known = [name for name in re.split("[ -]", language.title()) if name in NAMES]
    return [script for script, names in WRITTEN_IN.items() if (known or ["Latin"])[-1] in names]


def objection(reply: Translation, fields: Mapping[str, str]) -> str | None:
    """Return why a translation of `caption` into `language` cannot be used: it must quote each line of `lettering`
    verbatim, in any quotation marks, and be in the letters of the language otherwise.
    """
    text, english = plain(reply.translation), plain(fields["caption"])
    lines = map(plain, fields.get("lettering", "").splitlines())
    lettering = {words: QUOTED.format(re.escape(words)) for words in lines if words}
    if lost := [words for words, quoted in lettering.items() if not re.search(quoted, text)]:
        return f"this lettering must stay exactly as it is, in quotation marks: {', '.join(map(repr, lost))}"
    for quoted in lettering.values():
        text, english = (re.sub(quoted, " ", one) for one in (text, english))
    return None if is_in(fields["language"], text, english) else f"the translation is not {fields['language']}"


def plain(text: str) -> str:
    """Return a text in NFC without blanks around it or characters that only join letters or turn their direction."""
    return "".join(one for one in unicodedata.normalize("NFC", text) if unicodedata.category(one) != "Cf").strip()


def is_in(language: str, text: str, english: str) -> bool:
    """Return whether most of a text's letters are the language's, at most a tenth neither these nor Latin, and a tenth
    of Japanese ones kana. Beside names in Latin letters, a letter of Chinese, Japanese or Korean counts as three. Text
    in Latin letters must have a third of words that the English one lacks. Without letters, the English one must have
    none either.
    """
    names = (unicodedata.name(letter, "") for letter in text if letter.isalpha())
    found, own = [re.split("[ -]", re.sub("^(FULL|HALF)WIDTH ", "", name))[0] for name in names], scripts_of(language)
    right, stray = (sum(one in scripts for one in found) for scripts in (own, WRITTEN_IN.keys() - {*own, "LATIN"}))
    if (1 if {"CJK", "HANGUL"}.isdisjoint(own) else 3) * right <= len(found) - right or 10 * stray > len(found):
        return not found and not any(map(str.isalpha, english))
    if "HIRAGANA" in own:
        return 10 * (found.count("HIRAGANA") + found.count("KATAKANA")) >= len(found)
    words, others = (set(re.findall(r"\w+", one.casefold())) for one in (text, english))
    return "LATIN" not in own or 3 * len(words - others) >= len(words)
