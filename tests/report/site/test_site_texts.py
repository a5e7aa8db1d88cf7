"""The words of others on pages: all of it text, nothing hidden, no secret; and names of pages that never meet."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import settings as trying
from hypothesis import strategies as st

from gamut.evaluation.defining.parameters import Contestant
from gamut.project.model_kinds import OpenAIModel
from gamut.report.benchmarks.boards import settings_yaml
from gamut.report.site.pages import in_script, script_of, templates
from gamut.report.site.texts import HIDDEN, address, cut, hide_secrets, make_visible

EVIL = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "{{ 7 * 7 }} {% raw %}",
    "<!--",
    "&lt;b&gt;",
    "]]>",
    "\u202egpj.exe\u2066",
]


class Parsed(HTMLParser):
    """Tags that a text became, and the text that is read."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def words(text: str, most: int = 20_000) -> str:
    return str(templates().get_template("parts.html").module.words(text, most))  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", EVIL)
def test_markup_in_words_is_text(text: str) -> None:
    parsed = Parsed(words(text))
    assert parsed.tags == ["span"]
    assert parsed.text == make_visible(text)


@given(st.text(st.sampled_from("<>&\"'/!-=[] \n\t\x00\u2028\u202e\ud800aé汉{}%")))
def test_any_words_are_one_span_of_that_text(text: str) -> None:
    parsed = Parsed(words(text))
    assert parsed.tags == ["span"] and parsed.text == make_visible(text)


def test_what_is_hidden_is_shown() -> None:
    assert make_visible("a\u202eb\ufeffc\x07\n\td\r") == "a\\u202eb\\ufeffc\\u0007\n\td"
    assert make_visible("\x1b[31mred") == "\\u001b[31mred"
    assert make_visible("\U000e0041") == "\\U000e0041"
    assert make_visible("a\u200bb\u2060\xad\u3164") == "a\\u200bb\\u2060\\u00ad\\u3164"
    stays = "\U0001f468\u200d\U0001f33e هذا हिन्दी ไทยที่ עִבְרִית é"
    assert make_visible(stays) == stays


def test_a_long_text_is_cut_and_says_so() -> None:
    assert cut("a" * 20_000) == ("a" * 20_000, 0)
    assert cut("a" * 1_000_000) == ("a" * 20_000, 980_000)
    assert "980,000 more characters" in Parsed(words("a" * 1_000_000)).text


@given(st.lists(st.text(max_size=100), unique=True, max_size=20))
def test_no_two_names_are_one_page(names: list[str]) -> None:
    pages = [address(name) for name in names]
    assert len({page.lower() for page in pages}) == len(names)  # also where capitals are not told apart
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,79}", page) for page in pages)


def test_plain_names_are_kept() -> None:
    assert address("gpt-5_mini") == "gpt-5_mini"
    assert address("style/3").startswith("style-3-") and address(7) == "7"
    assert address("../../etc/passwd").startswith("etc-passwd-")


@trying(max_examples=40)
@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_data_in_a_script_cannot_end_it(value: object) -> None:
    written = str(in_script(value))
    assert not re.search("[<>&\u2028\u2029]", written)
    assert json.loads(written) == value
    assert script_of("orders", value) == f'window["orders"] = {written};\n'


KEY = "abc-0123456789"


@pytest.mark.parametrize(
    "body",
    [
        {"api_key": KEY},
        {"headers": {"X-Auth": KEY}},
        {"credentials": {"name": KEY, "others": [KEY]}},
        {"endpoint": f"https://me:{KEY}@there.org/v1"},
        {"headers": [f"Bearer {KEY}"]},
        {"note": f"sk-{KEY}{KEY}"},
    ],
)
def test_secrets_of_a_contestant_are_not_shown(body: dict[str, object]) -> None:
    model = OpenAIModel(kind="openai", id="m", extra_body=body)
    shown = settings_yaml(Contestant(**{"class": "unified", "model": model}))
    assert KEY not in shown and HIDDEN in shown and "extra_body" in shown


def test_whatever_else_stands_there_is() -> None:
    body = {"id": "hf-internal-testing/tiny", "max_tokens": 7, "keywords": ["a"], "authors": "we", "at": "http://a/b"}
    assert hide_secrets({"thinking": body, "on": True, "none": None}) == {"thinking": body, "on": True, "none": None}
