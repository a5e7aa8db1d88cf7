"""One judge is asked about every answer of one contestant, as the benchmark's record defines. For some contestants it
is also asked about controls made from their answers, which show how far the judge can be trusted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import partial

from gamut.asking.models.opening import identity_of
from gamut.asking.outcomes import Conversation
from gamut.asking.requests import Part, seed_of
from gamut.asking.visiting import Answer, Visit
from gamut.evaluation.defining.benchmark import AnyBenchmark, benchmark_of
from gamut.evaluation.defining.cells import record_of
from gamut.evaluation.defining.parameters import Params
from gamut.evaluation.defining.pictures import require_pictures, stand_ins
from gamut.evaluation.defining.questions import JudgeQuestion, Prompt
from gamut.evaluation.running.answers import AnswerReader, answer_of
from gamut.evaluation.running.cells import Observer, ask_about_answers, ask_about_controls, control_reader
from gamut.evaluation.running.controls import PRAISE, REFERENCE
from gamut.evaluation.running.judging import judge_answer, judge_partial_answer
from gamut.evaluation.running.spec import code_of_values, judgment_specs
from gamut.project.roles import RoleModel
from gamut.project.stage import main
from gamut.tables.columns import Row


def judge(benchmark: AnyBenchmark, params: Params, contestant: str, judge: str) -> None:
    judge_answers(benchmark, params, contestant, judge)
    if contestant in benchmark.block(params).controls_of:
        judge_controls(benchmark, params, contestant, judge)


def judge_answers(benchmark: AnyBenchmark, params: Params, contestant: str, judge: str) -> None:
    played, answer = RoleModel("judge", judge, params.models[judge]), answer_of(benchmark.answers / contestant)
    visit = judging_visit(benchmark, params, played, answer)
    ask_about_answers(benchmark, params, contestant, Observer("judge", played, judge, in_part=True), visit)


def judge_controls(benchmark: AnyBenchmark, params: Params, contestant: str, judge: str) -> None:
    played, answer = RoleModel("judge", judge, params.models[judge]), answer_of(benchmark.answers / contestant)
    visit = judging_visit(
        benchmark, params, played, control_reader(benchmark, params, contestant), questions_of_controls(answer)
    )
    ask_about_controls(benchmark, params, contestant, Observer("judge", played, judge), visit)


def judging_visit(
    benchmark: AnyBenchmark,
    params: Params,
    played: RoleModel,
    read_answer: AnswerReader,
    asked_of: Callable[
        [Row, Prompt, Sequence[JudgeQuestion]], Sequence[JudgeQuestion]
    ] = lambda record, prompt, judge_questions: judge_questions,
) -> Visit:
    """Return the visit to one answer. Its seed is the same for every contestant, setting and control: so differences
    are not luck, and equal answers are equal requests. `asked_of`: the questions for a record, from all questions.
    """
    items = {str(item.id): item for item in benchmark.items(params)}
    block, pictures, judge = benchmark.block(params), benchmark.pictures(params), identity_of(played)
    code = code_of_values(benchmark)

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        item = items[record["item"]]
        judge_questions = benchmark.questions_to_ask(block, item, record["setting"])
        own = seed_of(f"{record['item']}/{record['sample']}", params.seed)
        prompt = benchmark.prompt(block, item, record["setting"], stand_ins(item))
        asked = asked_of(record, prompt, judge_questions)
        about, seen = record | {"answer": prompt.wanted_parts(read_answer(record))}, require_pictures(pictures, item)
        if record["status"] == "ok":
            rows = yield from judge_answer(about, asked, seen, block.repeats, own, benchmark.measures)
        else:
            there = prompt.kinds_in(about["answer"])
            rows = yield from judge_partial_answer(there, about, asked, seen, block.repeats, own, benchmark.measures)
        # also for controls: the specs of the questions about answers
        specs = judgment_specs(judge_questions, prompt, item, judge, params.seed, code)
        return [row | {"spec": specs[row["question"], row["part"]]} for row in rows]

    return visit


def questions_of_controls(
    answer: AnswerReader,
) -> Callable[[Row, Prompt, Sequence[JudgeQuestion]], Sequence[JudgeQuestion]]:
    """Return the questions for controls. A right answer may be a copy, and praise does not make one."""

    def asked_of(record: Row, prompt: Prompt, judge_questions: Sequence[JudgeQuestion]) -> Sequence[JudgeQuestion]:
        if record["control"] == REFERENCE:
            return [replace(one, known=None) for one in judge_questions]
        if record["control"] != PRAISE or not any(one.known for one in judge_questions):
            return judge_questions
        as_it_was = prompt.wanted_parts(answer(record["shown"]))
        return [with_known_answer(as_it_was, one) for one in judge_questions]

    return asked_of


def with_known_answer(answer: Sequence[Part], question: JudgeQuestion) -> JudgeQuestion:
    known = question.known
    return replace(question, known=known and (lambda shown, pictures: known(answer, pictures)))


if __name__ == "__main__":
    benchmark = benchmark_of(sys.argv[1])
    run, record = partial(judge, benchmark), record_of(benchmark, "judge")
    main(f"{benchmark.name}.judge", run, benchmark.params, *sys.argv[2:], record=record)
