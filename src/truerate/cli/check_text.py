"""`truerate check`: which words of an answer a trained detector marks, given the reference.

One pair comes from two files, one of which may be stdin; many pairs come from a file of answers. For a person the
marks stand in the text itself: as colours in a terminal, as `[[marked]]` and `[?suspected?]` elsewhere
(a pipe, a file, NO_COLOR). Programs take `--json`, which has neither.
"""

import json
import sys
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from rich.console import Console
from rich.text import Text

from truerate.cli.command import WORDS
from truerate.config.layout import Layout
from truerate.core.errors import SettingsError, SourceError
from truerate.core.process.terminal import say
from truerate.core.spans.whole_words import MARKED, level, n_words
from truerate.detectors.absent_words import MARKS
from truerate.pipeline.judges.judging import Judged, is_judge, judge_response
from truerate.pipeline.judges.marking import ABSENT, Marked, check, check_pairs
from truerate.sources.answers.forms import STDIN, content_of
from truerate.sources.answers.table import read_table

TEMPLATES, PAGE = "site/templates", "marked_text.html.j2"
STYLES = {"marked": "bold white on red", "suspected": "black on yellow"}
BRACKETS = {"marked": ("[[", "]]"), "suspected": ("[?", "?]"), "": ("", "")}
LIKELY = ((0.95, "almost certain"), (0.8, "very likely"), (MARKED, "more likely than not"))
IN_WORDS = WORDS["types"]


class Turns(NamedTuple):
    """What was said before a response: a file with the turns before, and the turn that is answered."""

    history: str | None = None
    question: str | None = None


NO_TURNS = Turns()


def run(
    *,
    reference: str | None,
    answer: str | None,
    pairs: str | None,
    detector: str | None,
    as_json: bool,
    html: str | None,
    turns: Turns = NO_TURNS,
) -> None:
    """Mark one pair of texts, or all of a file of answers; print what was found, as JSON if asked, and write a
    page of one pair if asked. Where the detector is a judge, or turns are given, it is the judgement that is
    printed. Raises SettingsError where the options do not fit one another.
    """
    _refuse_mixed(reference, answer, pairs, html)
    is_named = detector is not None and "/" not in detector and Path("params.yaml").is_file()
    if any(turns) or (is_named and is_judge(Layout.load(), str(detector))):
        if pairs or html:
            raise SettingsError(
                "checking a response: a judge takes one --reference and --answer; leave out --pairs and "
                "--html"
            )
        _run_judge(str(reference), str(answer), detector, turns, as_json=as_json)
        return
    if pairs:
        texts = read_pairs(pairs)
        checked = check_pairs([(answer, reference) for _, answer, reference in texts], detector)
        for (name, _, _), marked in zip(texts, checked, strict=True):
            if as_json:
                print(as_line(marked, name))
                continue
            n_marked = n_words(marked.text, marked.spans, marked.threshold)
            line = Text(f"{printable(name)}  {n_marked} of {n_words(marked.text)} words  ")
            _console().print(line.append(_in_text(marked, _console(), is_one_line=True)), soft_wrap=True)
        return
    marked = check(read_text(answer, "answer"), read_text(reference, "reference"), detector)
    if html:
        Path(html).write_text(page(marked), "utf-8")
    if as_json:
        print(as_line(marked))
    else:
        show(marked, _console())


def read_text(path: str, what: str) -> str:
    """A text file (`-`: stdin) without the blank space around its text. Raises SourceError where it is no
    UTF-8 or holds no text.
    """
    try:
        text = content_of(path, what).decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise SourceError(
            f"reading the {what} {path!r}: byte {error.start} is no UTF-8; save the file as UTF-8"
        ) from None
    if not text:
        raise SourceError(
            f"reading the {what} {path!r}: it holds no text; name a file with the text to check"
        )
    return text


def read_pairs(path: str) -> list[tuple[str, str, str]]:
    """The id, answer and reference of each answer of a file (`answers.table.read_table`, `-`: stdin) that has both;
    how many have not is said. Raises SourceError where none has.
    """
    table = read_table(path)
    pairs = list(table.frame.select("id", "answer", "reference").iter_rows())
    whole = [(name, answer, reference) for name, answer, reference in pairs if answer.strip() and reference]
    if not whole:
        name, answer, _ = pairs[0]
        lacks = "reference" if answer.strip() else "text"
        more = "".join(f"; {note}" for note in table.notes)
        raise SourceError(f"reading the pairs {path!r}: answer {name!r} has no {lacks} to check{more}")
    if len(whole) < len(pairs):
        n_empty = sum(not answer.strip() for _, answer, _ in pairs)
        say(
            f"not checked: {n_empty} answers without text, {len(pairs) - len(whole) - n_empty} without a reference"
        )
    return whole


def _run_judge(reference: str, answer: str, detector: str | None, turns: Turns, *, as_json: bool) -> None:
    """Print what a judge says of one response: verdict, segments, reason."""
    knowledge, text = read_text(reference, "reference"), read_text(answer, "answer")
    history = read_text(turns.history, "history") if turns.history else ""
    judged = judge_response(
        text, knowledge, history=history, question=turns.question or "", detector=detector
    )
    if as_json:
        print(json.dumps(judged._asdict(), ensure_ascii=False))
        return
    for line in judgement_lines(judged):
        _console().print(Text(printable(line)), soft_wrap=True)


def judgement_lines(judged: Judged) -> list[str]:
    """Return what a judge says, a line each: the verdict with p, the segments, the reason and what it is."""
    verdict = "hallucinated" if judged.verdict else "not hallucinated"
    head = (
        f"{verdict}: p {judged.p:.2f}, threshold {judged.threshold:.2f}, by {judged.detector}, trained "
        f"on {judged.board}"
    )
    segments = [" ".join(judged.text[span["start"] : span["end"]].split()) for span in judged.spans]
    reason = "reason (composed of counted words, written by no model)" if judged.composed else "reason"
    return [
        head,
        *(f"segment: {segment}" for segment in segments),
        *([f"{reason}: {judged.rationale}"] if judged.rationale else []),
    ]


def _refuse_mixed(reference: str | None, answer: str | None, pairs: str | None, html: str | None) -> None:
    if pairs and (reference or answer or html):
        raise SettingsError(
            "checking texts: --pairs stands alone; leave out --reference, --answer and --html, which are "
            "for one pair"
        )
    if not pairs and not (reference and answer):
        raise SettingsError("checking texts: give --reference FILE and --answer FILE, or --pairs FILE")
    if reference == answer == STDIN:
        raise SettingsError(
            "checking texts: stdin is one text; give `-` for the reference or the answer, not both"
        )
    if html and Path(html).suffix not in (".html", ".htm"):
        raise SettingsError(f"writing {html!r}: the page is HTML; name a file that ends in .html")
    if html and not Path(TEMPLATES, PAGE).is_file():
        raise SettingsError(
            f"writing {html!r}: no {TEMPLATES}/{PAGE} here; run truerate in the folder of params.yaml"
        )


def as_line(marked: Marked, name: str | None = None) -> str:
    """One pair's finding as a line of JSON: id (where there is one), text, spans in whole words, p, detector,
    board, and the detector's own pieces.
    """
    record = {"id": name} if name is not None else {}
    return json.dumps(record | marked._asdict(), ensure_ascii=False)


# ---- what a person sees ------------------------------------------------------------------------------------
def pieces(marked: Marked) -> list[dict]:
    """The whole text in pieces: `text`, and where a span covers it `type`, `p` and `look` (marked or
    suspected; else empty).
    """
    parts, position = [], 0
    shown = [span for span in marked.spans if level(span["p"], marked.threshold)]
    for span in [*shown, {"start": len(marked.text), "end": len(marked.text)}]:
        if position < span["start"]:
            parts.append({"text": marked.text[position : span["start"]], "type": "", "p": 0.0, "look": ""})
        if span["start"] < span["end"]:
            text = marked.text[span["start"] : span["end"]]
            look = "marked" if span["p"] > marked.threshold else "suspected"
            parts.append({"text": text, "type": span["type"], "p": span["p"], "look": look})
        position = span["end"]
    return parts


def show(marked: Marked, console: Console) -> None:
    """The text with its marks, and under it each marked passage with its type and p in words."""
    console.print(_in_text(marked, console), soft_wrap=True)
    console.print(Text(f"\n{summary(marked)}", "dim"), soft_wrap=True)
    for span in marked.spans:
        if span["p"] > marked.threshold:
            quoted = printable(" ".join(marked.text[span["start"] : span["end"]].split()))
            console.print(Text(f"  {quoted}: {in_words(span)}"), soft_wrap=True)


def _in_text(marked: Marked, console: Console, *, is_one_line: bool = False) -> Text:
    """The text with its marks, in colours where the console has any, else in brackets."""
    has_colours = console.color_system is not None and not console.no_color
    whole = Text()
    for piece in pieces(marked):
        text = printable(piece["text"])
        text = text.replace("\n", " ").replace("\t", " ") if is_one_line else text
        left, right = ("", "") if has_colours else BRACKETS[piece["look"]]
        whole.append(f"{left}{text}{right}", STYLES.get(piece["look"], "") if has_colours else "")
    return whole


def in_words(span: dict) -> str:
    """Return what a marked span is, and how sure the detector is of it; a rule says nothing of that."""
    if span["type"] == ABSENT:
        return IN_WORDS[ABSENT]
    sure = next((word for least, word in LIKELY if span["p"] > least), "less likely than not")
    return f"{IN_WORDS.get(span['type'], span['type'])}, {sure} (p {span['p']:.2f})"


def summary(marked: Marked) -> str:
    """One line: how many words are marked, by which detector, where it learned."""
    trained_on = f", trained on {marked.board}" if marked.board else ""
    n_marked = n_words(marked.text, marked.spans, marked.threshold)
    count = f"{n_marked} of {n_words(marked.text)} words marked"
    if marked.detector in MARKS:
        return f"{count} by {marked.detector}, a rule that reads no meaning"
    return f"{count} (p > {marked.threshold:g}) by {marked.detector}{trained_on}"


def printable(text: str) -> str:
    """A text whose control characters cannot steer a terminal."""
    return "".join(
        character if character.isprintable() or character in "\n\t \u00a0\u200c\u200d\u3000" else "\ufffd"
        for character in text
    )


def page(marked: Marked) -> str:
    """One HTML page that needs nothing else: no script, no file, every text escaped."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template(PAGE).render(found=marked, pieces=pieces(marked), summary=summary(marked))


def _console() -> Console:
    return Console(file=sys.stdout, highlight=False)
