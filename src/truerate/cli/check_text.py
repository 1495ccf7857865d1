"""`truerate check`: which characters of an answer a trained detector marks, given the reference, on two files
of a person's own.
"""

import json
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from rich.console import Console
from rich.text import Text

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.flow.trained import trained

TEMPLATES, PAGE = "site/templates", "marked_text.html.j2"
SURE = 0.5  # characters above are marked, those below only suspected
STYLES = {"marked": "bold white on red", "suspected": "black on yellow"}


class Marked(NamedTuple):
    """A text, the soft spans {start, end, type, p} that a detector found in it, the largest p, and which
    detector that was.

    `board` is where it was trained, empty for a published one.
    """

    text: str
    spans: list[dict]
    p: float
    detector: str
    board: str


def check(
    at: Layout, *, reference: str, answer: str, detector: str | None, as_json: bool, html: str | None
) -> None:
    """Mark the answer of one file by the reference of another; print it, as JSON if asked, and write a page
    if asked.
    """
    found = mark(at, read_text(answer, "answer"), read_text(reference, "reference"), detector)
    if html:
        Path(html).write_text(page(found), "utf-8")
    if as_json:
        print(json.dumps({"text": found.text, "spans": found.spans, "p": found.p}, ensure_ascii=False))
    else:
        show(found, Console(highlight=False))


def read_text(path: str, what: str) -> str:
    """A text file without the blank space around its text. Raises TruerateError where it is no UTF-8 or holds
    no text.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise TruerateError(
            f"reading the {what} {path!r}: byte {error.start} is no UTF-8; save the file as UTF-8"
        ) from None
    if not text:
        raise TruerateError(
            f"reading the {what} {path!r}: it holds no text; name a file with the text to check"
        )
    return text


def mark(at: Layout, answer: str, reference: str, detector: str | None) -> Marked:
    """What the named detector (default: the one whose counts make the rates) finds, as trained on the first
    board that has it.

    A name with a slash is a published detector: `org/name`, `org/name@v1.0`, or a folder.
    """
    if detector and "/" in detector:
        return mark_published(answer, reference, detector)
    from truerate.detectors.tokens.family import mark_text

    board, family, member, wanted = trained(at, detector)
    spans = mark_text(member, answer, reference, at.p, folder=Path(at.detector(family, board)), wanted=wanted)
    if spans is None:
        raise TruerateError(
            f"detector {member!r} on board {board!r} had nothing to learn from; name another with --detector"
        )
    return Marked(answer, spans, max((span["p"] for span in spans), default=0.0), member, board)


def mark_published(answer: str, reference: str, detector: str) -> Marked:
    """What a detector of the Hub, at a tag or commit behind an `@`, or one in a folder finds."""
    from truerate.detectors.tokens.pretrained import TokenDetector

    place, _, revision = (detector, "", "") if Path(detector).is_dir() else detector.partition("@")
    spans = TokenDetector.from_pretrained(place, revision=revision or None).mark(answer, reference)
    return Marked(answer, spans, max((span["p"] for span in spans), default=0.0), detector, "")


# ---- what a person sees ------------------------------------------------------------------------------------
def pieces(found: Marked) -> list[dict]:
    """The whole text in pieces: `text`, and where a span covers it `type`, `p` and `look` (marked or
    suspected; else empty).
    """
    made, place = [], 0
    for span in [*found.spans, {"start": len(found.text), "end": len(found.text)}]:
        if place < span["start"]:
            made.append({"text": found.text[place : span["start"]], "type": "", "p": 0.0, "look": ""})
        if span["start"] < span["end"]:
            look = "marked" if span["p"] > SURE else "suspected"
            made.append(
                {
                    "text": found.text[span["start"] : span["end"]],
                    "type": span["type"],
                    "p": span["p"],
                    "look": look,
                }
            )
        place = span["end"]
    return made


def show(found: Marked, console: Console) -> None:
    """The text with its spans in colour, and under it each marked span with its place, type and p."""
    lines = Text()
    for piece in pieces(found):
        lines.append(printable(piece["text"]), STYLES.get(piece["look"], ""))
    console.print(lines, soft_wrap=True)
    console.print(Text(f"\n{summary(found)}", "dim"), soft_wrap=True)
    for span in found.spans:
        if span["p"] > SURE:
            quoted = printable(" ".join(found.text[span["start"] : span["end"]].split()))
            console.print(
                Text(f"{span['start']}–{span['end']}  {span['type']}  p {span['p']:.2f}  {quoted}"),
                soft_wrap=True,
            )


def summary(found: Marked) -> str:
    """One line: the detector, where it learned, and the share of characters that it marks."""
    n = sum(span["end"] - span["start"] for span in found.spans if span["p"] > SURE)
    learned = f", trained on {found.board}" if found.board else ""
    return f"{found.detector}{learned}: {n} of {len(found.text)} characters marked (p > {SURE})"


def printable(text: str) -> str:
    """A text whose control characters cannot steer a terminal."""
    return "".join(
        character if character.isprintable() or character in "\n\t \u00a0\u200c\u200d\u3000" else "\ufffd"
        for character in text
    )


def page(found: Marked) -> str:
    """One HTML page that needs nothing else: no script, no file, every text escaped."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template(PAGE).render(found=found, pieces=pieces(found), summary=summary(found))
