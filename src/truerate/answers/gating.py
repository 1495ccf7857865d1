"""A decision that a release may hang on: by an interval, never by a bare number; for terminals and CI."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

PASSED, FAILED, UNDECIDED = 0, 1, 3  # exit codes; 2 is a mistake to mend
WORDS = {PASSED: "passed", FAILED: "failed", UNDECIDED: "cannot tell"}
_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#&])")


@dataclass(frozen=True)
class Decision:
    """The exit `code` (PASSED, FAILED, UNDECIDED), what was asked, the sentence that answers it, and lines on
    what it rests on.
    """

    code: int
    name: str
    sentence: str
    notes: Sequence[str] = ()


class Reports(NamedTuple):
    """Files for a pipeline of CI, None where none is asked for."""

    junit: str | None = None
    markdown: str | None = None


NO_REPORTS = Reports()


def decided(low: float, high: float, limit: float) -> int:
    """Return the code of a quantity that must not be above a limit, known by its interval [low, high]."""
    return PASSED if high <= limit else FAILED if low > limit else UNDECIDED


def junit(decision: Decision) -> str:
    """Return the decision as a JUnit report of one test: a failure, or an error where it cannot be told."""
    suite = ElementTree.Element("testsuite", name="truerate", tests="1")
    suite.set("failures", str(int(decision.code == FAILED)))
    suite.set("errors", str(int(decision.code == UNDECIDED)))
    case = ElementTree.SubElement(suite, "testcase", classname="truerate", name=_plain(decision.name))
    kinds = {FAILED: "failure", UNDECIDED: "error"}
    if decision.code in kinds:
        ElementTree.SubElement(case, kinds[decision.code], message=_plain(decision.sentence))
    ElementTree.SubElement(case, "system-out").text = _plain("\n".join([decision.sentence, *decision.notes]))
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def markdown(decision: Decision) -> str:
    """Return the decision as Markdown for a pull request; no text of a file is read as markup."""
    lines = [
        f"### {_escaped(decision.name)}: {WORDS[decision.code]}",
        "",
        f"**{_escaped(decision.sentence)}**",
        "",
    ]
    return "\n".join([*lines, *(f"- {_escaped(note)}" for note in decision.notes)]) + "\n"


def write_reports(decision: Decision, reports: Reports) -> None:
    """Write the reports that were asked for, in place of earlier ones."""
    for file, content in ((reports.junit, junit), (reports.markdown, markdown)):
        if file:
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            Path(file).write_text(content(decision), "utf-8")


def _plain(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)


def _escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))
