"""UGC, understanding: replies as models give them, right and wrong ones, to both forms of the question.

Each row is a reply and what it is worth. Right is one thing, said or chosen at last; several, or none, are worth
nothing.
"""

from __future__ import annotations

import pytest

from gamut.evaluation.running.recognition import chosen_option, name_score

OKAPI = (["okapi", "Okapia johnstoni", "霍加狓"], ["giraffe", "red panda", "zebra"])
PANDA = (["red panda", "Ailurus fulgens"], ["panda", "raccoon", "badger"])
TOWER = (["Eiffel Tower", "La tour Eiffel"], ["Big Ben", "Merlion", "Tokyo Tower"])
CAUSEWAY = (["Giant's Causeway"], ["Uluru", "Machu Picchu"])
FLYTRAP = (["Venus flytrap"], ["sundew", "pitcher plant"])
CACTUS = (["a green cactus", "cactus"], ["a purple mushroom", "a yellow palm tree"])
LEMUR = (["aye-aye"], ["Schloß Neuschwanstein"])
PLAIN = (["小熊猫"], ["熊猫"])
FUJI = (["Mount Fuji"], ["Mount Rainier"])
CATHEDRAL = (["St. Basil's Cathedral"], ["Saint Peter's Basilica"])
WOLF = (["gray wolf"], ["red fox", "coyote"])
SEEN = "grey coat, white chest, long legs, bushy tail, big ears, strong muzzle, yellow eyes, large paws, thick fur."

NAMES = [
    (*OKAPI, 1, [
        "okapi", "Okapi.", "An okapi", "okapis", "These are okapis.",
        "The pictures all show the Okapi's striped legs.", "**Okapi** (*Okapia johnstoni*)", "ＯＫＡＰＩ", "Ókàpî",
        "这是霍加狓。", "这是霍加狓，不是斑马。", "It's an okapi, no doubt.", "Okapi, a member of the giraffe family.",
        "L'okapi",
        '{"name": "okapi"}', "An okapi, not a red panda.", "It's an okapi rather than a zebra or a giraffe.",
        "This is not a giraffe, a zebra or a red panda, but an okapi.",
        "Okapi. It is related to the giraffe, though its legs are striped like a zebra's.",
        "This is an okapi. Giraffes are its closest relatives.",
        "At first glance these look like giraffes, but they are okapis.",
        "It could be a zebra or an okapi. The dark, velvety coat shows that it is an okapi.",
        "Unlike the zebra, this animal has stripes on its legs alone: an okapi.",
        "Zebra? No. Giraffe? No. Answer: okapi", "<think>A zebra? No, a giraffe… or an okapi.</think>\nOkapi",
        "The animal, with legs like a zebra and a head like a giraffe, is an okapi.",
        "**Answer:**\n\nOkapi, a giraffid of the Congo. Zebras are not related to it.", "不是斑马,而是霍加狓",
        "It looks like an okapi.", "I'm not sure, but I think this is an okapi.",
        "It does not have a long neck and is an okapi.",
        "It has a zebra's stripes and the face of a giraffe, so it is an okapi.",
        "An animal that looks like a cross of a zebra and a giraffe. It is an okapi.",
        "An okapi, also known as the forest giraffe or zebra giraffe.",
        "An okapi with stripes like a zebra – a giraffe's only relative. The only other giraffids are giraffes.",
    ]),
    (*OKAPI, 0, [
        "okapian", "这不是霍加狓。", "这是斑马，不是霍加狓。", "", "I cannot tell what these pictures show.",
        "A zebra.",
        "Not an okapi.", "This isn't an okapi, it is a zebra.", "It might be an okapi, but the answer is zebra.",
        "An okapi or a zebra.", "Either an okapi or a kudu.", "a kudu, or an okapi",
        "okapi, giraffe, zebra, red panda", "An okapi. A giraffe. A zebra. A red panda.",
        "It is a giraffe. It is a zebra. It is an okapi.", "Okapi-like antelopes", "It resembles an okapi.",
    ]),
    (*PANDA, 1, [
        "Red Pandas", "It is a red-panda", "RedPanda", "An Ailurus  fulgens, I think",
        "These are red pandas. They are not closely related to giant pandas, but rather to raccoons.",
    ]),
    (*PANDA, 0, [
        "redder pandas", "a panda", "a red panda or a raccoon", "Both: red panda and raccoon",
    ]),
    (*PLAIN, 1, [
        "一只小熊猫",
    ]),
    (*PLAIN, 0, [
        "一只熊猫",
    ]),
    (*TOWER, 1, [
        "La Tour Eiffel", "Eiffel Tower, Paris, France", "The Eiffel\nTower",
        "The Eiffel Tower. (Tokyo Tower, which it resembles, is painted orange.)",
        "None other than the Eiffel Tower.", "This can't be anything other than the Eiffel Tower.",
        "It's hard to mistake the Eiffel Tower for anything else.",
        "This landmark is too famous to miss - the Eiffel Tower!",
    ]),
    (*CAUSEWAY, 1, [
        "The Giants Causeway in Northern Ireland.", "Giants' Causeway",
    ]),
    (*CACTUS, 1, [
        "green cacti", "Cactuses", "A purple cactus?",
    ]),
    (*LEMUR, 1, [
        "An aye aye (a lemur).",
    ]),
    (*LEMUR, 0, [
        "Schloss Neuschwanstein",
    ]),
    (*FLYTRAP, 1, [
        "Venus fly trap – not a pitcher plant, nor a sundew.",
    ]),
    (*FUJI, 1, [
        "Mt. Fuji", "Mt Fuji’s snow-capped cone",
    ]),
    (*CATHEDRAL, 1, [
        "Saint Basil’s Cathedral",
    ]),
    (*WOLF, 1, [
        "grey wolves", "No doubt a gray wolf.", "The gray wolf has no stripes.",
        "Not to be mistaken for a coyote: it is a gray wolf.", "Beyond any doubt this is a gray wolf.",
        "There is little doubt that this is a gray wolf.", "It can't be anything but a gray wolf.",
        "The hardly visible stripes identify it as a gray wolf.", "A false-color photo of a gray wolf",
        "It's a gray wolf, found in woods, plains, parks, zoos, hills, deserts, steppes, swamps, tundra.",
        "The gray wolf eats deer, elk, hares, fish, beavers, mice, sheep, carrion, fruit and insects.",
        "Okay. Grey. Four legs. Long tail. Big head. Yellow eyes. Wide mouth. Thick fur. It's a gray wolf.",
        "I'd say gray wolf, though a coyote has similar ears.",
        "Step 1: Candidates: gray wolf, coyote, red fox. Step 2: grey fur -> gray wolf.", f"Gray wolf. {SEEN}",
        f"Gray wolf: {SEEN}", f"{SEEN} It is a gray wolf.", f"These are gray wolves, known by {SEEN}",
        "Gray wolf\n" + "\n".join(f"- {one}: {one}" for one in SEEN.split(", ")),
    ]),
    (*WOLF, 0, [
        "I doubt that it is a gray wolf.", "It is anything but a gray wolf.", "Hardly a gray wolf",
        "The pictures are too blurry to say if it is a gray wolf.", "People mistake it for a gray wolf",
        "Is it a gray wolf?", "<think>A coyote? No, a gray wolf", "Das ist kein gray wolf.",
        "The claim that this is a gray wolf is false.", "This is unlikely to be a gray wolf.", "❌ Gray wolf",
        "I'd say coyote, though a gray wolf has similar ears.",
    ]),
]  # fmt: skip
"""Right names, others, what each reply is worth, and replies."""
FOUR = ["panda", "red panda", "okapi", "badger"]
LETTERS = {
    1: [
        "C", "c", "C.", "(C)", "(c) okapi", "**C**", "**C) okapi**", "C: okapi", "Ｃ", "C、霍加狓", "答案是C",
        "所以答案是C。",
        "选C", "答案是C，不是B", "C, no doubt.", "我选择 C，因为A和B都不对。", "应该选C，而不是A", "$\\boxed{C}$",
        "The final answer is \\boxed{\\text{C}}.", "<answer>C</answer>",
        '{"reason": "A and B are pandas", "answer": "C"}', "Answer: C\nbecause A and B have no stripes.",
        "Answer: C\nExplanation: unlike a red panda (A), it has stripes.", "**Answer:**\n\nC", "The answer is **C**.",
        "the answer is c", "C because the others (A, B and D) have no striped legs.", "C, since A and B are pandas.",
        "C\n\nA and B are pandas, and D is a badger.",
        "C. The okapi is the only one with stripes. Badgers (D) have them on their heads.",
        "I think it is C) okapi, not A or B.", "It's not A, B or D, so it is C.", "Not A but C.",
        "A) The panda is black and white. B) The red panda is red. C) The okapi has striped legs. "
        "D) Badgers are small. So the answer is C.",
        "A) panda - no\nB) red panda - no\nC) okapi - yes\nD) badger - no",
        "Options: A. panda B. red panda C. okapi D. badger\nThe correct answer is C.",
        "First I thought that the answer is A. Wait, the legs are striped. The answer is C.",
        "Could it be A? No. Could it be D? No. It is C.", "A and B are wrong, and D does not fit. C",
        "C is the correct answer.", "Option C is correct; A is not.", "I would choose C.", "okapi", "An okapi.",
        "The pictures show okapis.", "They show an okapi, not a panda.",
        "All four show the same animal: an okapi (C).", "C. badger", "C, as A, B and D have no striped legs.",
        "A. No, it is black and white.\nB. No, it is red.\nC. Yes, its legs are striped.\nD. No, it is small.",
        "C) okapi\n\nThe other options are wrong: A) pandas are black and white, D) badgers are small.",
        "A, B and D can be eliminated, leaving C.", "La respuesta es C",
        "A) panda ✗\nB) red panda ✗\nC) okapi ✓\nD) badger ✗", "A? No. B? No. C? Yes. D? No.",
        "A, B, D have no stripes → C", "option c", "It's c", "I pick c", "Nothing other than C fits.",
        "No option other than C fits.", "D is tempting but C fits", "C has no dots and striped legs.",
        "C is no doubt right", "There's hardly any doubt that it's C.",
        "It would be a mistake to pick anything but C.", "Is A right? No. Is C right? Yes.",
        "Does C have striped legs? Yes.", "A is false, C is correct.", "A: false\nB: false\nC: true\nD: false",
        '{"answer": "c"}', "I'll go with c",
    ],
    0: [
        "选A，不选C", "A", "D. okapi", "A red panda", "A is the answer.", "A because of C's stripes", "E", "", "not C",
        "It cannot be C.", "C is wrong.", "C or D", "Either C or D.", "The answer is C or A.", "B/C", "A and C",
        "A, B, C, D", "A) B) C) D)", "D. C. B. A. C.", "A. panda, B. red panda, C. okapi",
        "A) panda\nB) red panda\nC) okapi", "The answer is A. The answer is B. The answer is C.",
        "panda, red panda, okapi, badger", "all of them", "None of these", "The answer is not C.",
        "It looks like C, but the answer is D.", "an okapi or a badger", "C\n\nOn second thoughts, the answer is D.",
        "C ✗", "C ❌", "C - incorrect", "It's a", "C is false.", "C is the least likely", "❌ C", "anything but C",
        "all but C", "C is less likely than D", "C is the only one that does not fit",
    ],
}  # fmt: skip
"""Replies by what they are worth where C is right."""


def test_replies_that_name() -> None:
    assert [
        (said, worth)
        for own, others, worth, replies in NAMES
        for said in replies
        if name_score(said, own, others) != worth
    ] == []


def test_replies_that_choose() -> None:
    wrong = [one for worth, replies in LETTERS.items() for one in replies if (chosen_option(one, FOUR) == 2) != worth]
    assert wrong == []


WORDS = (
    *("alpaca", "bison", "camel", "dingo", "eland", "ferret", "gazelle", "hyena", "ibex", "jackal", "koala", "lemur"),
    *("marmot", "numbat", "ocelot", "puma"),
)


JOINS = (" ", ", ", "\n", " and ", ", a ", ". It is a ", "\n1. ", " is ", " (cat), ", "? ")


@pytest.mark.parametrize("join", JOINS)
def test_a_wall_of_names_names_nothing(join: str) -> None:
    assert name_score(join.join([*WORDS, "okapi", *WORDS]), ["okapi"], []) == 0
    assert name_score(join.join([*WORDS[:4], "okapi", *WORDS[4:8]]), ["okapi"], []) == (join == " ")
    assert name_score("This may be any of: " + ", ".join([*WORDS[:8], "okapi", "puma"]), ["okapi"], []) == 0


@pytest.mark.parametrize("join", ["", "、", "，"])
def test_a_wall_of_names_in_chinese_names_nothing(join: str) -> None:
    wall = join.join(["狮子", "老虎", "豹", "狼", "霍加狓", "熊", "猫", "狗", "大象", "猴子"] * 2)
    assert name_score(wall, OKAPI[0], []) == 0
    assert name_score("这些图片展示的都是一种生活在森林中的毛皮动物霍加狓", OKAPI[0], []) == 1


def test_letters_are_chosen_alike_wherever_the_right_one_stands() -> None:
    for right, letter in enumerate("ABCD"):
        others = ", ".join("ABCD".replace(letter, ""))
        for said in (letter, f"{letter} because {others} differ", f"The answer is {letter}, not {others}", FOUR[right]):
            assert chosen_option(said, FOUR) == right, said
        for said in (
            "A, B, C, D",
            "A B C D",
            f"A B C D {letter}",
            "ABCD",
            *(f"{one}\n" * 2 for one in ("A\nB", "A or B")),
        ):
            assert chosen_option(said, FOUR) is None or "A\nB" in said, said
