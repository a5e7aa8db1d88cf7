"""UGC, understanding: replies as models give them, right and wrong ones, to both forms of the question.

Each row is a reply and what it is worth. Right is one thing, said or chosen at last; several, or none, are worth
nothing.
"""

from __future__ import annotations

import pytest

from stages.gir.shared.measures.recognition import chosen, named

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
    # short answers, their forms
    (OKAPI, "okapi", 1),
    (OKAPI, "Okapi.", 1),
    (OKAPI, "An okapi", 1),
    (OKAPI, "okapis", 1),
    (OKAPI, "These are okapis.", 1),
    (OKAPI, "The pictures all show the Okapi's striped legs.", 1),
    (OKAPI, "**Okapi** (*Okapia johnstoni*)", 1),
    (OKAPI, "ＯＫＡＰＩ", 1),
    (OKAPI, "Ókàpî", 1),
    (OKAPI, "okapian", 0),
    (OKAPI, "这是霍加狓。", 1),
    (OKAPI, "这不是霍加狓。", 0),
    (OKAPI, "这是霍加狓，不是斑马。", 1),
    (OKAPI, "这是斑马，不是霍加狓。", 0),
    (OKAPI, "It's an okapi, no doubt.", 1),
    (OKAPI, "Okapi, a member of the giraffe family.", 1),
    (OKAPI, "L'okapi", 1),
    (OKAPI, '{"name": "okapi"}', 1),
    (PANDA, "Red Pandas", 1),
    (PANDA, "It is a red-panda", 1),
    (PANDA, "RedPanda", 1),
    (PANDA, "redder pandas", 0),
    (PANDA, "a panda", 0),
    (PANDA, "An Ailurus  fulgens, I think", 1),
    (PLAIN, "一只小熊猫", 1),
    (PLAIN, "一只熊猫", 0),
    (TOWER, "La Tour Eiffel", 1),
    (TOWER, "Eiffel Tower, Paris, France", 1),
    (TOWER, "The Eiffel\nTower", 1),
    (CAUSEWAY, "The Giants Causeway in Northern Ireland.", 1),
    (CAUSEWAY, "Giants' Causeway", 1),
    (CACTUS, "green cacti", 1),
    (CACTUS, "Cactuses", 1),
    (CACTUS, "A purple cactus?", 1),
    (LEMUR, "An aye aye (a lemur).", 1),
    (LEMUR, "Schloss Neuschwanstein", 0),
    # others are named too
    (OKAPI, "An okapi, not a red panda.", 1),
    (OKAPI, "It's an okapi rather than a zebra or a giraffe.", 1),
    (OKAPI, "This is not a giraffe, a zebra or a red panda, but an okapi.", 1),
    (OKAPI, "Okapi. It is related to the giraffe, though its legs are striped like a zebra's.", 1),
    (OKAPI, "This is an okapi. Giraffes are its closest relatives.", 1),
    (OKAPI, "At first glance these look like giraffes, but they are okapis.", 1),
    (OKAPI, "It could be a zebra or an okapi. The dark, velvety coat shows that it is an okapi.", 1),
    (OKAPI, "Unlike the zebra, this animal has stripes on its legs alone: an okapi.", 1),
    (OKAPI, "Zebra? No. Giraffe? No. Answer: okapi", 1),
    (OKAPI, "<think>A zebra? No, a giraffe… or an okapi.</think>\nOkapi", 1),
    (OKAPI, "The animal, with legs like a zebra and a head like a giraffe, is an okapi.", 1),
    (OKAPI, "**Answer:**\n\nOkapi, a giraffid of the Congo. Zebras are not related to it.", 1),
    (OKAPI, "不是斑马,而是霍加狓", 1),
    (OKAPI, "It looks like an okapi.", 1),
    (OKAPI, "I'm not sure, but I think this is an okapi.", 1),
    (PANDA, "These are red pandas. They are not closely related to giant pandas, but rather to raccoons.", 1),
    (TOWER, "The Eiffel Tower. (Tokyo Tower, which it resembles, is painted orange.)", 1),
    (OKAPI, "It does not have a long neck and is an okapi.", 1),
    (OKAPI, "It has a zebra's stripes and the face of a giraffe, so it is an okapi.", 1),
    (OKAPI, "An animal that looks like a cross of a zebra and a giraffe. It is an okapi.", 1),
    (OKAPI, "An okapi, also known as the forest giraffe or zebra giraffe.", 1),
    (
        OKAPI,
        "An okapi with stripes like a zebra – a giraffe's only relative. The only other giraffids are giraffes.",
        1,
    ),
    (FLYTRAP, "Venus fly trap – not a pitcher plant, nor a sundew.", 1),
    # wrong ones, and such as do not decide
    (OKAPI, "", 0),
    (OKAPI, "I cannot tell what these pictures show.", 0),
    (OKAPI, "A zebra.", 0),
    (OKAPI, "Not an okapi.", 0),
    (OKAPI, "This isn't an okapi, it is a zebra.", 0),
    (OKAPI, "It might be an okapi, but the answer is zebra.", 0),
    (OKAPI, "An okapi or a zebra.", 0),
    (OKAPI, "Either an okapi or a kudu.", 0),
    (OKAPI, "a kudu, or an okapi", 0),
    (OKAPI, "okapi, giraffe, zebra, red panda", 0),
    (OKAPI, "An okapi. A giraffe. A zebra. A red panda.", 0),
    (OKAPI, "It is a giraffe. It is a zebra. It is an okapi.", 0),
    (OKAPI, "Okapi-like antelopes", 0),
    (OKAPI, "It resembles an okapi.", 0),
    (PANDA, "a red panda or a raccoon", 0),
    (PANDA, "Both: red panda and raccoon", 0),
    # other spellings
    (FUJI, "Mt. Fuji", 1),
    (FUJI, "Mt Fuji’s snow-capped cone", 1),
    (CATHEDRAL, "Saint Basil’s Cathedral", 1),
    (WOLF, "grey wolves", 1),
    # denied in other words
    (WOLF, "I doubt that it is a gray wolf.", 0),
    (WOLF, "No doubt a gray wolf.", 1),
    (WOLF, "It is anything but a gray wolf.", 0),
    (WOLF, "Hardly a gray wolf", 0),
    (WOLF, "The pictures are too blurry to say if it is a gray wolf.", 0),
    (WOLF, "People mistake it for a gray wolf", 0),
    (WOLF, "Is it a gray wolf?", 0),
    (WOLF, "<think>A coyote? No, a gray wolf", 0),
    (TOWER, "None other than the Eiffel Tower.", 1),
    (TOWER, "This can't be anything other than the Eiffel Tower.", 1),
    (WOLF, "The gray wolf has no stripes.", 1),
    (WOLF, "Not to be mistaken for a coyote: it is a gray wolf.", 1),
    (WOLF, "Beyond any doubt this is a gray wolf.", 1),
    (WOLF, "There is little doubt that this is a gray wolf.", 1),
    (WOLF, "It can't be anything but a gray wolf.", 1),
    (WOLF, "The hardly visible stripes identify it as a gray wolf.", 1),
    (WOLF, "A false-color photo of a gray wolf", 1),
    (TOWER, "It's hard to mistake the Eiffel Tower for anything else.", 1),
    (TOWER, "This landmark is too famous to miss - the Eiffel Tower!", 1),
    (WOLF, "Das ist kein gray wolf.", 0),
    (WOLF, "The claim that this is a gray wolf is false.", 0),
    (WOLF, "This is unlikely to be a gray wolf.", 0),
    (WOLF, "❌ Gray wolf", 0),
    (WOLF, "It's a gray wolf, found in woods, plains, parks, zoos, hills, deserts, steppes, swamps, tundra.", 1),
    (WOLF, "The gray wolf eats deer, elk, hares, fish, beavers, mice, sheep, carrion, fruit and insects.", 1),
    (
        WOLF,
        "Okay. Grey. Four legs. Long tail. Big head. Yellow eyes. Wide mouth. Thick fur. It's a gray wolf.",
        1,
    ),
    (WOLF, "I'd say gray wolf, though a coyote has similar ears.", 1),
    (WOLF, "I'd say coyote, though a gray wolf has similar ears.", 0),
    (WOLF, "Step 1: Candidates: gray wolf, coyote, red fox. Step 2: grey fur -> gray wolf.", 1),
    # lists of what is seen
    (WOLF, f"Gray wolf. {SEEN}", 1),
    (WOLF, f"Gray wolf: {SEEN}", 1),
    (WOLF, f"{SEEN} It is a gray wolf.", 1),
    (WOLF, f"These are gray wolves, known by {SEEN}", 1),
    (WOLF, "Gray wolf\n" + "\n".join(f"- {name}: {name}" for name in SEEN.split(", ")), 1),
]

FOUR = ["panda", "red panda", "okapi", "badger"]
LETTERS = [
    # C is right
    ("C", 1),
    ("c", 1),
    ("C.", 1),
    ("(C)", 1),
    ("(c) okapi", 1),
    ("**C**", 1),
    ("**C) okapi**", 1),
    ("C: okapi", 1),
    ("Ｃ", 1),
    ("C、霍加狓", 1),
    ("答案是C", 1),
    ("所以答案是C。", 1),
    ("选C", 1),
    ("答案是C，不是B", 1),
    ("选A，不选C", 0),
    ("C, no doubt.", 1),
    ("我选择 C，因为A和B都不对。", 1),
    ("应该选C，而不是A", 1),
    ("$\\boxed{C}$", 1),
    ("The final answer is \\boxed{\\text{C}}.", 1),
    ("<answer>C</answer>", 1),
    ("{\"reason\": \"A and B are pandas\", \"answer\": \"C\"}", 1),
    ("Answer: C\nbecause A and B have no stripes.", 1),
    ("Answer: C\nExplanation: unlike a red panda (A), it has stripes.", 1),
    ("**Answer:**\n\nC", 1),
    ("The answer is **C**.", 1),
    ("the answer is c", 1),
    ("C because the others (A, B and D) have no striped legs.", 1),
    ("C, since A and B are pandas.", 1),
    ("C\n\nA and B are pandas, and D is a badger.", 1),
    ("C. The okapi is the only one with stripes. Badgers (D) have them on their heads.", 1),
    ("I think it is C) okapi, not A or B.", 1),
    ("It's not A, B or D, so it is C.", 1),
    ("Not A but C.", 1),
    ("A) The panda is black and white. B) The red panda is red. C) The okapi has striped legs. D) Badgers are small. "
     "So the answer is C.", 1),
    ("A) panda - no\nB) red panda - no\nC) okapi - yes\nD) badger - no", 1),
    ("Options: A. panda B. red panda C. okapi D. badger\nThe correct answer is C.", 1),
    ("First I thought that the answer is A. Wait, the legs are striped. The answer is C.", 1),
    ("Could it be A? No. Could it be D? No. It is C.", 1),
    ("A and B are wrong, and D does not fit. C", 1),
    ("C is the correct answer.", 1),
    ("Option C is correct; A is not.", 1),
    ("I would choose C.", 1),
    ("okapi", 1),
    ("An okapi.", 1),
    ("The pictures show okapis.", 1),
    ("They show an okapi, not a panda.", 1),
    ("All four show the same animal: an okapi (C).", 1),
    ("C. badger", 1),  # the letter decides
    ("C, as A, B and D have no striped legs.", 1),
    ("A. No, it is black and white.\nB. No, it is red.\nC. Yes, its legs are striped.\nD. No, it is small.", 1),
    ("C) okapi\n\nThe other options are wrong: A) pandas are black and white, D) badgers are small.", 1),
    ("A, B and D can be eliminated, leaving C.", 1),
    ("La respuesta es C", 1),
    # wrong ones, and such as do not decide
    ("A", 0),
    ("D. okapi", 0),
    ("A red panda", 0),  # an article
    ("A is the answer.", 0),
    ("A because of C's stripes", 0),
    ("E", 0),
    ("", 0),
    ("not C", 0),
    ("It cannot be C.", 0),
    ("C is wrong.", 0),
    ("C or D", 0),
    ("Either C or D.", 0),
    ("The answer is C or A.", 0),
    ("B/C", 0),
    ("A and C", 0),
    ("A, B, C, D", 0),
    ("A) B) C) D)", 0),
    ("D. C. B. A. C.", 0),
    ("A. panda, B. red panda, C. okapi", 0),
    ("A) panda\nB) red panda\nC) okapi", 0),
    ("The answer is A. The answer is B. The answer is C.", 0),
    ("panda, red panda, okapi, badger", 0),
    ("all of them", 0),
    ("None of these", 0),
    ("The answer is not C.", 0),
    ("It looks like C, but the answer is D.", 0),
    ("an okapi or a badger", 0),
    ("C\n\nOn second thoughts, the answer is D.", 0),
    # signs, questions, small letters
    ("A) panda ✗\nB) red panda ✗\nC) okapi ✓\nD) badger ✗", 1),
    ("C ✗", 0),
    ("C ❌", 0),
    ("C - incorrect", 0),
    ("A? No. B? No. C? Yes. D? No.", 1),
    ("A, B, D have no stripes → C", 1),
    ("option c", 1),
    ("It's c", 1),
    ("I pick c", 1),
    ("It's a", 0),
    ("Nothing other than C fits.", 1),
    ("No option other than C fits.", 1),
    ("D is tempting but C fits", 1),
    ("C has no dots and striped legs.", 1),
    ("C is no doubt right", 1),
    ("There's hardly any doubt that it's C.", 1),
    ("It would be a mistake to pick anything but C.", 1),
    ("Is A right? No. Is C right? Yes.", 1),
    ("Does C have striped legs? Yes.", 1),
    ("A is false, C is correct.", 1),
    ("A: false\nB: false\nC: true\nD: false", 1),
    ('{"answer": "c"}', 1),
    ("I'll go with c", 1),
    ("C is false.", 0),
    ("C is the least likely", 0),
    ("❌ C", 0),
    ("anything but C", 0),
    ("all but C", 0),
    ("C is less likely than D", 0),
    ("C is the only one that does not fit", 0),
]  # fmt: skip


def test_sixty_replies_that_name() -> None:
    assert len(NAMES) >= 60
    assert [(said, worth) for names, said, worth in NAMES if named(said, *names) != worth] == []


def test_sixty_replies_that_choose() -> None:
    assert len(LETTERS) >= 60
    assert [(said, worth) for said, worth in LETTERS if chosen(said, FOUR, 2) != worth] == []


WORDS = (
    *("alpaca", "bison", "camel", "dingo", "eland", "ferret", "gazelle", "hyena", "ibex", "jackal", "koala", "lemur"),
    *("marmot", "numbat", "ocelot", "puma"),
)


JOINS = (" ", ", ", "\n", " and ", ", a ", ". It is a ", "\n1. ", " is ", " (cat), ", "? ")


@pytest.mark.parametrize("join", JOINS)
def test_a_wall_of_names_names_nothing(join: str) -> None:
    assert named(join.join([*WORDS, "okapi", *WORDS]), ["okapi"], []) == 0
    assert named(join.join([*WORDS[:4], "okapi", *WORDS[4:8]]), ["okapi"], []) == (join == " ")
    assert named("This may be any of: " + ", ".join([*WORDS[:8], "okapi", "puma"]), ["okapi"], []) == 0


@pytest.mark.parametrize("join", ["", "、", "，"])
def test_a_wall_of_names_in_chinese_names_nothing(join: str) -> None:
    wall = join.join(["狮子", "老虎", "豹", "狼", "霍加狓", "熊", "猫", "狗", "大象", "猴子"] * 2)
    assert named(wall, OKAPI[0], []) == 0
    assert named("这些图片展示的都是一种生活在森林中的毛皮动物霍加狓", OKAPI[0], []) == 1


def test_letters_are_chosen_alike_wherever_the_right_one_stands() -> None:
    for right, letter in enumerate("ABCD"):
        others = ", ".join("ABCD".replace(letter, ""))
        for said in (letter, f"{letter} because {others} differ", f"The answer is {letter}, not {others}", FOUR[right]):
            assert [chosen(said, FOUR, place) for place in range(4)] == [float(place == right) for place in range(4)]
        for said in (
            "A, B, C, D",
            "A B C D",
            f"A B C D {letter}",
            "ABCD",
            *(f"{one}\n" * 2 for one in ("A\nB", "A or B")),
        ):
            assert sum(chosen(said, FOUR, place) for place in range(4)) <= ("A\nB" in said), said
