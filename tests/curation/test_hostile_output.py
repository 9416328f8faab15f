"""What papers and models wrote is shown to people as text: no escape, markup, tag or link acts."""

import json

import pytest

from lawsmith.cli import console
from lawsmith.release.pages.rendering import page_templates

SHOWN = (
    "\x1b[2J\x1b]0;owned\x07[bold]x[/bold] \u202eabc \u200b<script>alert(1)</script>"
    " [a](b) ![c](d) `e` | f"
)


def test_the_terminal_shows_text_and_does_nothing_else(
    capsys: pytest.CaptureFixture[str],
) -> None:
    console.table(SHOWN, ("what",), [(SHOWN,), ("[link=https://example.org]y[/link]",)])
    console.say(SHOWN)
    console.as_json({"title": SHOWN})
    out = capsys.readouterr().out
    for raw in ("\x1b[2J", "\x1b]0", "\x07", "\u202e", "\u200b"):
        assert raw not in out
    assert "[bold]x[/bold]" in out
    assert "[link=https://example.org]y[/link]" in out
    assert json.loads(out[out.index("{") :]) == {"title": SHOWN}


def test_the_ui_shows_text_and_no_link_picture_or_tag() -> None:
    presentation = pytest.importorskip("assets.presentation")
    report = presentation.StageReport(
        stage="cards", rows=1, new=1, unchanged=0, outcomes={}, columns=("what",),
        preview=((SHOWN,),), figures={}, notes=(SHOWN,),
    )  # fmt: skip
    metadata = presentation.materialized(report).metadata
    for name in ("preview", "notes"):
        text = metadata[name].value
        assert "<script" not in text.replace("\\<", "")
        assert "\\[a\\]\\(b\\) \\!\\[c\\]\\(d\\) \\`e\\` \\| f" in text
        assert "\x1b" not in text


def test_pages_escape_what_a_card_says() -> None:
    macros = page_templates(html=True).get_template("interface.html.j2").module
    shown = str(macros.code_spans("<script>x</script> `{{ 7*7 }}`"))  # type: ignore[attr-defined]
    assert "<script>" not in shown
    assert "<code>{{ 7*7 }}</code>" in shown
