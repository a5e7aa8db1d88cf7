"""The released instructions, from made-up scripts in the layout of the released ones: what is asked, how it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from gamut.asking.models.http.protocol import conversation
from gamut.asking.outcomes import Outcome
from gamut.asking.questions import AskedQuestion
from gamut.asking.requests import Message, Picture, Reply
from gamut.command import check
from gamut.evaluation.defining.editions import freeze_edition
from gamut.evaluation.defining.questions import Prompt
from gamut.evaluation.running.spec import judgment_specs, spec_parts
from gamut.project.errors import UserError
from stages.prism.shared.benchmark import PRISM, judge_questions
from stages.prism.shared.items import PrismItem
from stages.prism.shared.parameters import Prism
from tests import fakes
from tests.prism.made_up_scripts import CHAT, PLAIN, digest

ITEM = PrismItem(id="style/0", track="style", prompt='a {red} "cube"', prompt_zh="红色")
PICTURE = Picture(b"one")


RELEASED = {"instructions": "released", "judges": ["gpt"]}


def block(folder: Path, text: str, revision: str = "", name: str = "eval.py") -> Prism:
    (folder / name).write_text(text)
    release = {"path": str(folder / name), "revision": revision or digest(text)}
    return fakes.params(prism=fakes.values()["prism"] | RELEASED | {"release": release}).prism


def asked(of: Prism) -> list[AskedQuestion]:
    return [one.question.about(one.fields, [PICTURE], 5) for one in judge_questions(of, ITEM, "en")]


def test_turns_of_a_chat_come_before_the_picture_and_no_form_is_asked_for(tmp_path: Path) -> None:
    fit, looks = (one.request for one in asked(block(tmp_path, CHAT)))
    assert fit.messages == (
        Message("system", ("Be fair.",)),
        Message("user", ('Fit? {"score": …} \n"a {red} "cube""', PICTURE)),
    )
    assert looks.messages == (Message("user", ('Looks of a {red} "cube"?', PICTURE)),) and looks.seed == 5
    for way in ("json_schema", "json_object", "instruction"):
        assert conversation(fit, way).keys() == {"messages"}
    assert [turn["role"] for turn in conversation(fit, "json_schema")["messages"]] == ["system", "user"]


def test_a_text_follows_the_picture(tmp_path: Path) -> None:
    fit, looks = (one.request for one in asked(block(tmp_path, PLAIN)))
    assert fit.messages == (Message("user", (PICTURE, 'Fit of a {red} "cube"?')),)
    assert looks.messages == (Message("user", (PICTURE, 'Looks of a {red} "cube"?')),)


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ('{"justification": "so", "score": 7}', 7.0),
        ('```json\n{"justification": "so",\n"score": 0,\n}\n```', 0.0),
        ('{"score": 7.5}', 7.5),
        ('{"justification": "so", "score": 10, "why": [1, 2,]}', 10.0),
        ('{"justification": "so", "score": "7"}', None),  # the release counts numbers alone
        ('{"justification": "so", "score": 11}', None),
        ('{"justification": "so"}', None),
        ("Score: 7", None),
        ("", None),
    ],
)
def test_a_reply_is_read_as_the_release_reads_it_and_never_asked_for_again(
    tmp_path: Path, reply: str, score: float | None
) -> None:
    [judge_question, _] = judge_questions(block(tmp_path, CHAT), ITEM, "en")
    found = judge_question.question.about(judge_question.fields, [PICTURE]).next([Reply(reply.encode())])
    assert isinstance(found, Outcome) and found.status == ("parse_error" if score is None else "ok")
    assert found.value is None if score is None else judge_question.read(found.value)[0].value == score


def test_boards_by_unlike_instructions_are_told_apart(tmp_path: Path) -> None:
    """In the spec of every score, and in words: ours, and two scripts'."""
    chat, plain = block(tmp_path, CHAT), block(tmp_path, PLAIN, name="other.py")
    judge = {"id": "gpt", "revision": None, "numerics": None, "sampling": None}
    ours, *theirs = (
        spec_parts(
            judgment_specs(PRISM.questions_to_ask(of, ITEM, "en"), Prompt(("a cube",)), ITEM, judge, 0, "0badcafe")[
                "alignment", 0
            ]
        )
        for of in (fakes.params().prism, chat, plain)
    )
    names = [f"released-{digest(text)[7:15]}" for text in (CHAT, PLAIN)]
    assert [spec["instructions"] for spec in (ours, *theirs)] == ["own", *names]
    assert len({spec["question"] for spec in (ours, *theirs)}) == 3 and theirs[0]["reply"] == theirs[1]["reply"]
    assert "not to be laid beside the paper's tables" in PRISM.remarks(fakes.params().prism)[0]
    assert f"eval.py ({names[0]})" in PRISM.remarks(chat)[0] and f"other.py ({names[1]})" in PRISM.remarks(plain)[0]


UNLIKE = "get_message_templates is not as the released scripts have it:"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1", f"{UNLIKE} it is missing or returns nothing"),
        ("def get_message_templates(): return build()", f"{UNLIKE} malformed node"),
        ("def get_message_templates(: pass", f"{UNLIKE} invalid syntax"),
        (CHAT.replace("'style': fit, ", ""), "alignment.style: this key is missing"),
        (
            CHAT.replace("{text_prompt}?", "{prompt}?"),
            ".*: aesthetic: the last turn has to be the user's, with {text_prompt}",
        ),
        (CHAT.replace('"role": "system"', '"role": "judge"'), "alignment.imagination"),
    ],
)
def test_another_file_is_no_script_of_the_release(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UserError, match=rf"eval\.py: {words}"):
        asked(block(tmp_path, text))


def test_a_script_that_is_not_there_or_another_one_is_an_error_that_tells_the_mending(tmp_path: Path) -> None:
    another = block(tmp_path, CHAT, digest(PLAIN))
    with pytest.raises(UserError, match=rf"eval\.py is not {digest(PLAIN)}: .*name this digest: {digest(CHAT)}$"):
        asked(another)
    there = block(tmp_path, CHAT)
    (tmp_path / "eval.py").unlink()
    with pytest.raises(UserError, match=r"^prism\.release in params\.yaml: .*eval\.py cannot be read \(No such file"):
        asked(there)


def test_check_names_what_keeps_judges_from_being_asked(project: Path) -> None:
    freeze_edition("prism", "small", [ITEM])
    prism = fakes.values()["prism"] | RELEASED
    found = {}
    for path, text in (("eval.py", CHAT), ("gone.py", None)):
        if text:
            Path(path).write_text(text)
        release = {"path": path, "revision": digest(CHAT)}
        everything = fakes.everything(prism=prism | {"release": release}, contestants=fakes.two_contestants())
        found[path] = [
            (one.found, one.needed, one.what, one.remark)
            for one in check.check_judge_questions(check.all_benchmark_items(everything))
        ]
    [(there, needed, what, remark)] = found["gone.py"]
    assert found["eval.py"] == [] and (there, needed, what) == (False, True, "prism: questions to judges")
    assert "gone.py cannot be read (No such file or directory): name a script of your clone" in remark
