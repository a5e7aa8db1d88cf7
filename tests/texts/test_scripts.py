"""Translations into any language by name: its letters, its lettering, names that are mistakes."""

from __future__ import annotations

import unicodedata

import pytest

from gamut.texts.chinese import Translation, quoted_words, with_rendered_text
from gamut.texts.scripts import objection, require_language, scripts_of

PLAIN = "Two red cars stand to the left of a small blue house at sunset."
SIGN = 'A wooden sign that says "OPEN" hangs on a blue house.'
CAFE = unicodedata.normalize("NFC", 'A red sign that says "CAFÉ" hangs above a door.')
TOKYO = 'A red sign that says "東京" hangs above a door.'
ALONE = '"OPEN" "CLOSED"'
NAMED = "A Nintendo Switch and a PlayStation controller lie on a wooden desk."
RLM, ZWNJ, NBSP = "\u200f", "\u200c", "\u00a0"


def said(language: str, english: str, translation: str) -> str | None:
    fields = with_rendered_text({"language": language, "caption": english}, english, quoted_words(english))
    return objection(Translation(translation=translation), fields)


@pytest.mark.parametrize(
    ("language", "english", "translation"),
    [
        ("Japanese", PLAIN, "夕暮れ時、小さな青い家の左側に二台の赤い車が並んでいる。"),
        ("Japanese", SIGN, "青い家に「OPEN」と書かれた木の看板が掛かっている。"),
        ("Japanese", SIGN, "青い家に『OPEN』という木製の看板。"),
        ("Japanese", TOKYO, "ドアの上に「東京」と書かれた赤い看板が掛かっている。"),
        ("Chinese", PLAIN, "日落时分，两辆红色汽车停在一座蓝色小房子的左边。"),
        ("Traditional Chinese", SIGN, "一塊寫著「OPEN」的木牌掛在藍色房子上。"),
        ("Korean", SIGN, "“OPEN”이라고 적힌 나무 간판이 파란 집에 걸려 있다."),
        ("Korean", PLAIN, unicodedata.normalize("NFD", "해 질 녘 작고 파란 집 왼쪽에 빨간 차 두 대가 서 있다.")),
        ("Russian", SIGN, "На синем доме висит деревянная вывеска «OPEN»."),
        ("Ukrainian", PLAIN, "Дві червоні машини стоять ліворуч від синього будинку Victoria House."),  # a name
        ("Serbian", PLAIN, "Два црвена аутомобила стоје лево од мале плаве куће."),
        ("Serbian", PLAIN, "Dva crvena automobila stoje levo od male plave kuće."),
        ("Arabic", SIGN, f"لافتة خشبية كتب عليها «{RLM}OPEN{RLM}» معلقة على بيت أزرق."),
        ("Egyptian Arabic", PLAIN, "عربيتين حمر واقفين على شمال بيت أزرق صغير وقت الغروب."),
        ("Persian", PLAIN, f"دو خودروی قرمز در سمت چپ خانه{ZWNJ}ای آبی ایستاده{ZWNJ}اند."),
        ("Hindi", SIGN, 'नीले घर पर लकड़ी का एक बोर्ड टंगा है जिस पर "OPEN" लिखा है।'),
        ("Thai", SIGN, "ป้ายไม้ที่เขียนว่า “OPEN” แขวนอยู่บนบ้านสีฟ้า"),
        ("Greek", SIGN, "Μια ξύλινη πινακίδα που γράφει «OPEN» κρέμεται σε ένα μπλε σπίτι."),
        ("Hebrew", PLAIN, "שתי מכוניות אדומות עומדות משמאל לבית כחול קטן בשקיעה."),
        ("Bengali", PLAIN, "সূর্যাস্তে একটি ছোট নীল বাড়ির বাঁ দিকে দুটি লাল গাড়ি দাঁড়িয়ে আছে।"),
        ("Tamil", PLAIN, "சிறிய நீல வீட்டின் இடதுபுறம் இரண்டு சிவப்பு கார்கள் நிற்கின்றன."),
        ("German", SIGN, "Ein Holzschild mit der Aufschrift „OPEN“ hängt an einem blauen Haus."),
        ("French", SIGN, f"Un panneau en bois où l'on lit «{NBSP}OPEN{NBSP}» est accroché à une maison bleue."),
        ("Swedish", SIGN, "En träskylt med texten ”OPEN” hänger på ett blått hus."),
        ("Danish", SIGN, "Et træskilt med teksten »OPEN« hænger på et blåt hus."),
        ("German", SIGN, 'Am blauen Haus hängt ein Holzschild: "OPEN!"'),  # its punctuation is no lettering
        ("Vietnamese", PLAIN, "Hai chiếc xe màu đỏ đứng bên trái một ngôi nhà nhỏ màu xanh."),
        ("Brazilian Portuguese", PLAIN, "Dois carros vermelhos estão à esquerda de uma pequena casa azul."),
        ("Esperanto", PLAIN, "Du ruĝaj aŭtoj staras maldekstre de malgranda blua domo."),  # not in the list: Latin
        ("German", CAFE, unicodedata.normalize("NFD", "Über einer Tür hängt ein rotes Schild: „CAFÉ“.")),
        ("Korean", ALONE, "“OPEN”, “CLOSED”"),  # nothing to translate
        ("Chinese", NAMED, "木桌上放着一台Nintendo Switch和一个PlayStation手柄。"),  # more letters are Latin
        ("Japanese", NAMED, "木製の机の上にNintendo SwitchとPlayStationのコントローラーが置かれている。"),
        ("Korean", NAMED, "나무 책상 위에 Nintendo Switch와 PlayStation 컨트롤러가 놓여 있다."),
        ("Hebrew", SIGN, "שלט עץ שכתוב עליו ״OPEN״ תלוי על בית כחול."),
        ("Japanese", SIGN, "青い家に【OPEN】と書かれた木の看板が掛かっている。"),
        ("Arabic", SIGN, "لافتة خشبية كتب عليها «OPEN،» على بيت أزرق."),
        ("German", SIGN.replace("OPEN", " OPEN "), "Ein Holzschild „OPEN“ hängt an einem blauen Haus."),
        ("German", SIGN.replace("OPEN", " "), "Ein leeres Holzschild hängt an einem blauen Haus."),
        ("Maithili", PLAIN, "दू टा लाल कार नील घरक बामा ठाढ़ अछि।"),
    ],
)
def test_what_is_in_the_language_and_keeps_the_lettering(language: str, english: str, translation: str) -> None:
    assert said(language, english, translation) is None


@pytest.mark.parametrize(
    ("language", "english", "translation"),
    [
        ("Japanese", PLAIN, PLAIN),
        ("Japanese", PLAIN, "日落时分，两辆红色汽车停在一座蓝色小房子的左边。"),  # Chinese: no kana
        ("Chinese", PLAIN, "夕暮れ時、小さな青い家の左側に二台の赤い車が並んでいる。"),  # Japanese
        ("Korean", PLAIN, "日落时分，两辆红色汽车停在一座蓝色小房子的左边。"),
        ("Japanese", TOKYO, "A red sign: 「東京」"),  # what is Japanese in it is the lettering
        ("Russian", PLAIN, "Two red cars, дом, at sunset"),  # three letters of 20
        ("Russian", PLAIN, "हिन्दी में एक घर"),
        ("Hindi", PLAIN, "Do laal gaadiyan ek chhote neele ghar ke baayin or khadi hain."),  # Latin letters
        ("German", PLAIN, PLAIN),
        ("German", PLAIN, PLAIN.upper()),
        ("German", PLAIN, "Two rote cars stand to the left of a small blue house."),  # one of 12 words
        ("German", PLAIN, "Два красных автомобиля стоят слева от дома."),
        ("Chinese", PLAIN, "Two red cars 停在 a small blue house"),  # as much as six letters, of 26
        ("German", PLAIN, "…"),
        ("Korean", PLAIN, "1 2 3"),
    ],
)
def test_what_is_not_in_the_language(language: str, english: str, translation: str) -> None:
    assert said(language, english, translation) == f"the translation is not {language}"


@pytest.mark.parametrize(
    ("language", "translation"),
    [
        ("German", "Ein Holzschild mit der Aufschrift „GEÖFFNET“ hängt an einem blauen Haus."),
        ("German", "Ein Holzschild „Open“ hängt an einem blauen Haus."),
        ("German", "Ein Holzschild OPEN hängt an einem blauen Haus."),  # not quoted
        ("German", "Ein „OPENING“ an einem blauen Haus."),  # only inside another word
        ("Japanese", "青い家に「ＯＰＥＮ」と書かれた木の看板が掛かっている。"),  # full width
        ("Russian", "На синем доме висит вывеска «ОРЕN»."),  # Cyrillic letters that look alike
    ],
)
def test_lettering_stays_exactly_as_it_is(language: str, translation: str) -> None:
    wrong = "this lettering must stay exactly as it is, in quotation marks: 'OPEN'"
    assert said(language, SIGN, translation) == wrong


@pytest.mark.parametrize(
    ("name", "mistake"),
    [
        ("Japenese", "there is no language 'Japenese'; did you mean 'Japanese'?"),
        ("Modern Grek", "there is no language 'Grek'; did you mean 'Greek'?"),
        ("Germn", "there is no language 'Germn'; did you mean 'German'?"),
        ("中文", "its name in English is expected, such as Japanese: letters, blanks and hyphens"),
        ("ja", "its name in English is expected, such as Japanese: letters, blanks and hyphens"),
        ("zh-Hans", "its name in English is expected, such as Japanese: letters, blanks and hyphens"),
        ("British English", "English is always there: remove it"),
    ],
)
def test_names_that_are_mistakes(name: str, mistake: str) -> None:
    with pytest.raises(ValueError) as error:
        require_language(name)
    assert str(error.value) == mistake


@pytest.mark.parametrize(
    "name", ["japanese", "Javanese", "Sorbian", "Guarani", "Esperanto", "Zulu", "Uighur", "Norwegian Bokmål"]
)
def test_names_that_may_be_meant(name: str) -> None:
    """Javanese and Sorbian are nearly Japanese and Serbian."""
    assert require_language(name) == name


def test_scripts_of_names() -> None:
    assert scripts_of("japanese") == ["HIRAGANA", "KATAKANA", "CJK"]
    assert scripts_of("Egyptian Arabic") == ["ARABIC"] and scripts_of("Serbo-Croatian") == ["LATIN"]
    assert scripts_of("Serbian") == ["CYRILLIC", "LATIN"] and scripts_of("Klingon") == ["LATIN"]
