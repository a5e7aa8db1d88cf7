"""The words of the embedded world: kinds of pictogram, colours, counts, relations, styles, lights, moods, lettering.

Each thing stands here once, with its English and its Chinese name, so that writing, reading, painting and seeing agree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Kind:
    """One kind of pictogram: its key is the English singular, `icon` the attribute name in the icon font."""

    name: str
    plural: str
    icon: str
    zh: str
    measure: str
    group: str
    synonyms: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Word:
    """A named value: English and Chinese name, and further English or Chinese readings of it."""

    en: str
    zh: str
    also: tuple[str, ...] = ()


def plural_of(noun: str) -> str:
    """Return the regular English plural of a noun phrase whose last word carries it."""
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


_KINDS = Path(__file__).with_name("kinds.txt")
"""Below the name of each group a kind a line: English | icon | Chinese | measure word | irregular plural | synonyms
(singular, or singular/plural).
"""


def _kind(line: str, group: str) -> Kind:
    name, icon, zh, measure, plural, also = (part.strip() for part in line.split("|"))
    synonyms = []
    for entry in filter(None, (part.strip() for part in also.split(","))):
        one, _, many = entry.partition("/")
        synonyms.append((one, many or plural_of(one)))
    return Kind(name, plural or plural_of(name), icon, zh, measure, group, tuple(synonyms))


def _kinds() -> dict[str, Kind]:
    found, group = dict[str, Kind](), ""
    for line in _KINDS.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            group = line[2:]
        else:
            kind = _kind(line, group)
            found[kind.name] = kind
    return found


KINDS: dict[str, Kind] = _kinds()

COLOURS: dict[str, Word] = {
    "red": Word("red", "红色"),
    "orange": Word("orange", "橙色", ("橘色",)),
    "yellow": Word("yellow", "黄色"),
    "green": Word("green", "绿色"),
    "blue": Word("blue", "蓝色"),
    "purple": Word("purple", "紫色", ("violet",)),
    "pink": Word("pink", "粉色", ("粉红色",)),
    "black": Word("black", "黑色"),
}
RGB: dict[str, tuple[int, int, int]] = {
    "red": (206, 52, 48),
    "orange": (238, 132, 34),
    "yellow": (246, 204, 52),
    "green": (58, 150, 84),
    "blue": (44, 110, 200),
    "purple": (124, 72, 168),
    "pink": (240, 138, 178),
    "black": (46, 48, 58),
}

COUNTS: dict[int, Word] = {
    1: Word("one", "一"),
    2: Word("two", "两", ("二",)),
    3: Word("three", "三"),
    4: Word("four", "四"),
    5: Word("five", "五"),
}

RELATIONS: dict[str, Word] = {
    "left": Word("to the left of", "左边", ("left of", "on the left of", "on the left side of", "左侧", "左面")),
    "right": Word("to the right of", "右边", ("right of", "on the right of", "on the right side of", "右侧", "右面")),
    "above": Word("above", "上方", ("over", "上面")),
    "below": Word("below", "下方", ("under", "underneath", "beneath", "下面")),
}
OPPOSITE: dict[str, str] = {"left": "right", "right": "left", "above": "below", "below": "above"}

# The first of each is the plain one, which a picture has when nothing marks it.
STYLES: dict[str, Word] = {
    "flat": Word("flat illustration", "扁平插画"),
    "watercolour": Word("watercolour painting", "水彩画", ("watercolor painting", "watercolor", "watercolour")),
    "poster": Word("vintage travel poster", "复古旅行海报"),
    "popart": Word("pop art print", "波普艺术版画", ("pop art picture",)),
    "woodcut": Word("woodblock print", "木版画", ("woodcut",)),
}
LIGHTS: dict[str, Word] = {
    "noon": Word("noon", "正午", ("midday",)),
    "dawn": Word("dawn", "黎明", ("daybreak", "sunrise")),
    "sunset": Word("sunset", "日落时分", ("sundown",)),
    "twilight": Word("twilight", "黄昏", ("dusk",)),
    "night": Word("night", "夜晚"),
}
MOODS: dict[str, Word] = {
    "calm": Word("calm", "平静"),
    "joyful": Word("joyful", "欢乐", ("cheerful", "happy")),
    "melancholy": Word("melancholy", "忧郁", ("sad",)),
    "mysterious": Word("mysterious", "神秘"),
    "dreamy": Word("dreamy", "梦幻"),
    "dramatic": Word("dramatic", "激昂"),
}
# What a mood looks like in the sky, for captions.
MOOD_SIGNS: dict[str, Word] = {
    "joyful": Word("drifting confetti", "飘舞的彩纸"),
    "melancholy": Word("thin slanting rain", "斜斜的细雨"),
    "mysterious": Word("long bands of mist", "长长的雾带"),
    "dreamy": Word("soft sparkles", "柔和的闪光"),
    "dramatic": Word("broad beams of light", "宽阔的光束"),
}
SURREALS: dict[str, Word] = {
    "giant moon": Word("a giant moon", "巨大的月亮", ("an enormous moon", "a huge moon")),
    "twin moons": Word("twin moons", "一对月亮", ("two moons",)),
    "emerald sky": Word("an emerald sky", "翡翠色的天空", ("an emerald green sky",)),
    "floating islands": Word("floating islands", "漂浮的岛屿"),
}
SIGNS: dict[str, Word] = {
    "banner": Word("a hanging banner", "悬挂的横幅", ("a banner",)),
    "board": Word("a wooden sign", "木制招牌", ("a sign", "a wooden board")),
}
LOOKS: dict[str, dict[str, Word]] = {
    "style": STYLES,
    "light": LIGHTS,
    "mood": MOODS,
    "surreal": SURREALS,
    "sign": SIGNS,
}
"""By the parts of a scene, what each may be."""

# What a caption may open with before it names anything.
OPENINGS: dict[str, Word] = {
    "photo": Word("a photo of", "一张照片：", ("a photograph of", "photograph of", "photo of")),
    "image": Word("an image of", "一幅图像：", ("image of",)),
    "picture": Word("a picture of", "一幅图画：", ("picture of",)),
    "illustration": Word("an illustration of", "一幅插图：", ("illustration of",)),
    "drawing": Word("a drawing of", "一幅素描：", ("drawing of",)),
    "there is": Word("there is", "有", ("there are",)),
}

# English | Chinese: what a sign says, and what it says where it stands in China.
_LETTERING = """
OPEN 营业中, CLOSED 休息, WELCOME 欢迎光临, BAKERY 面包房, CAFE 咖啡馆, MARKET 市场, FLOWERS 花店, BOOKS 书店,
MUSIC 音乐, CINEMA 电影院, HOTEL 大酒店, GARDEN 花园, HARBOR 港湾, STATION 车站, MUSEUM 博物馆, LIBRARY 图书馆,
THEATER 剧院, GALLERY 画廊, KITCHEN 厨房, PHARMACY 药店, COFFEE 咖啡, BREAD 面包, PIZZA 饺子, HONEY 蜂蜜,
FRUIT 水果, CANDY 糖果, SUMMER 夏天, WINTER 冬天, SPRING 春天, AUTUMN 秋天, HELLO 你好, DREAM 梦想, START 出发,
FREEDOM 自由, FOREST 森林, OCEAN 大海, RIVER 江河, SUNSHINE 阳光, TOMORROW 明天, WONDER 奇迹,
FRESH BREAD 新鲜面包, GRAND HOTEL 大酒店, BOOK SHOP 书店, CITY MUSEUM 博物馆, FARM MARKET 农贸市场,
HAPPY HOUR 欢乐时光, NO PARKING 禁止停车, KEEP LEFT 靠左行走, TEA HOUSE 茶馆, OLD TOWN 古镇, LIVE MUSIC 现场音乐,
HOT COFFEE 热咖啡, NIGHT MARKET 夜市, TOY STORE 玩具店, SLOW DOWN 慢行, GOOD MORNING 早安, SUMMER SALE 夏日特卖,
ART GALLERY 美术馆, SEA VIEW 海景, THANK YOU 谢谢, LUCKY STAR 平安, BLUE HARBOR 蓝色港湾, WILD HONEY 蜂蜜,
LAST TRAIN 末班车, STAY CURIOUS 好奇
"""


CHINESE_FOR: dict[str, str] = dict(re.findall(r"([A-Z][A-Z ]*) ([^A-Z,\s]+)", _LETTERING))
LETTERING: tuple[str, ...] = tuple(CHINESE_FOR)
LETTERING_ZH: tuple[str, ...] = tuple(dict.fromkeys(CHINESE_FOR.values()))
"""All of its characters are in signs.ttf."""
WORDS: frozenset[str] = frozenset(word for phrase in LETTERING for word in phrase.split())
