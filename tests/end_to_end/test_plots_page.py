"""Pages of `dvc plots`: drawn without a network, in either scheme, by scripts that are what was published.

npm install vega@5 vega-lite@5 vega-embed@6               # of these versions are the specs that DVC fills
python -m tests.end_to_end.test_plots_page node_modules   # writes their scripts into .dvc/page
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import serious, sideways, visited
from tests.end_to_end.project import Project
from tests.paths import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDER = ROOT / ".dvc/page"
TEMPLATE, SCRIPTS, LICENCES = FOLDER / "plots.html", FOLDER / "scripts.json", FOLDER / "LICENSES"
INLINED = re.compile(r'<script data-file="([\w./-]+)">(.*?)</script>', re.DOTALL)
BARS = {
    "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
    "data": {"values": [{"name": "<b>one</b>", "value": 1}, {"name": "two", "value": 2}]},
    "mark": "bar",
    "encoding": {"x": {"field": "value", "type": "quantitative"}, "y": {"field": "name", "type": "nominal"}},
}


def test_scripts_are_as_published() -> None:
    page = TEMPLATE.read_bytes().decode()
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in INLINED.findall(page)}
    assert digests == {name: script["sha256"] for name, script in json.loads(SCRIPTS.read_text()).items()}
    licensed = re.findall(r"^([\w-]+) +Copyright", LICENCES.read_text(), re.MULTILINE)
    assert {name.split("/")[0] for name in digests} <= set(licensed)


def test_dvc_fills_what_it_is_to_fill() -> None:
    """And nothing else: its placeholders stand once, none of them in a script, and the one for scripts nowhere."""
    counted = {name: TEMPLATE.read_text().count("{" + name + "}") for name in ("plot_divs", "refresh_tag", "scripts")}
    assert counted == {"plot_divs": 1, "refresh_tag": 1, "scripts": 0}
    ours = INLINED.sub("", TEMPLATE.read_text())
    assert not re.search(r"https?:|\bsrc=|@import|url\(", ours)


def drawn(page: Page) -> list[set[str]]:
    """The words in every chart, once all are there."""
    page.wait_for_selector("main > div:not(:has(svg.marks))", state="detached")
    words = "charts => charts.map(chart => [...chart.querySelectorAll('text')].map(text => text.textContent))"
    return [set(chart) for chart in page.locator("main > div").evaluate_all(words)]


def test_a_build_is_drawn_and_compared(browser: Browser, built: Project, tmp_path: Path) -> None:
    """Nine charts: seven of the dataset, two of the only benchmark."""
    title = "PRISM-Bench: 95 % intervals"
    built.run("dvc", "plots", "show", "--out", str(tmp_path / "shown"))
    with visited(browser, tmp_path / "shown/index.html") as page:
        charts = drawn(page)
        assert len(charts) == 9
        [intervals] = [chart for chart in charts if title in chart]
        assert {"careful", "hasty", "en, judged by world", "workspace"} <= intervals

    built.replace("metrics/prism/small/plots/intervals.csv", "hasty,en,", "renamed,en,")
    built.run("dvc", "plots", "diff", "HEAD", "--out", str(tmp_path / "compared"))
    with visited(browser, tmp_path / "compared/index.html", width=390, scheme="dark") as page:
        [intervals] = [chart for chart in drawn(page) if title in chart]
        assert {"careful", "hasty", "renamed", "HEAD", "workspace"} <= intervals
        assert sideways(page) == 0


def filled(path: Path, spec: dict[str, Any]) -> Path:
    """The template with one plot, as DVC fills it."""
    plot = f"<div id='one'><script>var spec = {json.dumps(spec)}; vegaEmbed('#one', spec);</script></div>"
    path.write_text(TEMPLATE.read_text().replace("{plot_divs}", plot).replace("{refresh_tag}", ""))
    return path


def test_a_plot_follows_the_scheme(browser: Browser, tmp_path: Path) -> None:
    with visited(browser, filled(tmp_path / "plots.html", BARS)) as page:
        assert {"<b>one</b>", "two"} <= drawn(page)[0]
        label = "svg.marks text:text-is('two')"
        assert page.get_attribute(label, "fill") == "#000"
        assert serious(page) == []
        page.emulate_media(color_scheme="dark")
        page.wait_for_selector(f"{label}[fill='#fff']")
        assert serious(page) == []


def test_a_plot_that_cannot_be_drawn_says_why(browser: Browser, tmp_path: Path) -> None:
    page_file = filled(tmp_path / "plots.html", BARS | {"data": {"values": "<b>no JSON</b>"}})
    with pytest.raises(AssertionError, match="uncaught error: Unexpected token"), visited(browser, page_file) as page:
        page.wait_for_selector("text=/This plot cannot be drawn: .*<b>no JSON<.b>/")


def test_a_plot_may_load_nothing(browser: Browser, tmp_path: Path) -> None:
    """From nowhere, also not from beside it."""
    (tmp_path / "beside.json").write_text("[]")
    urls = ["https://example.com/data.json", "beside.json"]
    layers = [{"data": {"url": url}, "mark": "bar"} for url in urls]
    with (
        pytest.raises(AssertionError) as caught,
        visited(browser, filled(tmp_path / "a.html", {"layer": layers})) as page,
    ):
        drawn(page)
    for url in urls:
        assert re.search(rf"{re.escape(url)}.* violates .*Content Security Policy", str(caught.value))


def write_scripts(modules: Path) -> None:
    """Put scripts of installed npm packages into the template, and what they are beside it."""
    scripts = {}
    for name, old in INLINED.findall(TEMPLATE.read_text()):
        text = (modules / name).read_bytes().decode()
        TEMPLATE.write_text(TEMPLATE.read_text().replace(f'"{name}">{old}</script>', f'"{name}">{text}</script>'))
        version = json.loads((modules / name.split("/")[0] / "package.json").read_text())["version"]
        scripts[name] = {"version": version, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    SCRIPTS.write_text(json.dumps(scripts, indent=2) + "\n")


if __name__ == "__main__":
    write_scripts(Path(sys.argv[1]))
