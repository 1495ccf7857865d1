"""Per kind of task the newest board of it, its models as dots on a line: how much each makes things up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truerate.core.data_files import read_data
from truerate.core.metric import ABSENT
from truerate.site.charts import Axis, ticks
from truerate.site.measures import day_in_words
from truerate.site.tables import CommittedBoard, Tables

N_SENTENCES = 3
# Of a kind of task, in the order of the page: its title, and what its models were asked to do.
TASKS: Mapping[str, Mapping[str, str]] = read_data(Path(__file__).with_name("tasks.yaml"), dict)


@dataclass(frozen=True)
class Dot:
    """A model of a board: its rate of what is made up with its interval, as shares; `at`, `start`, `end` are
    places on the line in per cent. `words`: the rate and its interval as read. `facts`: what the filters ask,
    None where its maker has not published it.
    """

    subject: str
    name: str
    page: str
    rate: float
    low: float | None
    high: float | None
    at: float
    start: float
    end: float
    words: str
    is_first: bool
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Strip:
    """A kind of task: the board that is drawn, its dots from the least to the greatest rate, and the ends of
    the line; without models there are none, and `others` are all there is.
    """

    task: str
    board: CommittedBoard | None
    dots: Sequence[Dot]
    marks: Sequence[tuple[float, str]]
    what: str
    others: Sequence[CommittedBoard]

    @property
    def title(self) -> str:
        """The task's name."""
        return TASKS[self.task]["title"]

    @property
    def firsts(self) -> Sequence[Dot]:
        """The models that may be the best."""
        return [dot for dot in self.dots if dot.is_first]

    @property
    def description(self) -> str:
        """The line in words, for those who do not see it."""
        if not self.dots:
            return ""
        least, most = self.dots[0], self.dots[-1]
        return (
            f"{len(self.dots)} models by {self.what}, in per cent: from {least.name} {least.words} to "
            f"{most.name} {most.words}"
        )


def strips(tables: Tables) -> list[Strip]:
    """A strip for each kind of task that a committed board is of, in the order of tasks.yaml."""
    by_task = {task: [board for board in tables.real if board.card["task"] == task] for task in TASKS}
    return [_strip(tables, task, boards) for task, boards in by_task.items() if boards]


def _strip(tables: Tables, task: str, boards: Sequence[CommittedBoard]) -> Strip:
    """The newest board of models whose headline is a share leads; of two of one day that of more models."""
    newest = sorted(boards, key=lambda board: (board.card["dated"], len(board.models)), reverse=True)
    drawn = next((board for board in newest if board.has_models and board.headline.unit == "share"), None)
    others = [board for board in newest if board is not drawn]
    if drawn is None:
        return Strip(task, None, (), (), "", others)
    is_none = tables.catalogue.not_models
    ranked = [
        score
        for score in drawn.models
        if score.value is not None and (drawn.name, score.subject) not in is_none
    ]
    highest = max(_made_up(drawn, score)[0] for score in ranked)
    marks = ticks(highest)
    axis = Axis(0.0, marks[-1], 0.0, 100.0)
    dots = sorted(
        (_dot(tables, drawn, score, axis) for score in ranked), key=lambda dot: (dot.rate, dot.name)
    )
    label = drawn.headline.label
    what = label if drawn.headline.is_lower_better else f"100 − {label}"
    return Strip(task, drawn, dots, [(axis.at(mark), f"{100 * mark:g}") for mark in marks], what, others)


def _made_up(board: CommittedBoard, score: Any) -> tuple[float, float | None, float | None]:
    """The share that is made up, with its interval: a share of what is right is taken from one."""
    if board.headline.is_lower_better:
        return score.value, score.low, score.high
    low, high = (None if end is None else 1 - end for end in (score.high, score.low))
    return 1 - score.value, low, high


def _dot(tables: Tables, board: CommittedBoard, score: Any, axis: Axis) -> Dot:
    rate, low, high = _made_up(board, score)
    model = tables.catalogue.of(board.name, score.subject)
    ends = (rate if low is None else low, rate if high is None else high)
    setting = (
        next((line.setting for line in model.on(board.name) if line.subject == score.subject), "")
        if model
        else ""
    )
    facts = {
        "maker": model and model.maker,
        "weights": model and model.weights,
        "billions": model and model.billions,
        "year": model and model.launched and model.launched[:4],
    }
    return Dot(
        subject=score.subject,
        name=f"{model.name}, {setting}" if model and setting else model.name if model else score.subject,
        page=model.page if model else "",
        rate=rate, low=low, high=high,
        at=axis.at(rate), start=axis.at(ends[0]), end=axis.at(ends[1]),
        words=f"{in_percent(rate)} % ({in_percent(low)}–{in_percent(high)})",
        is_first=board.is_best(score),
        facts={name: value for name, value in facts.items() if value},
    )  # fmt: skip


def in_percent(share: float | None) -> str:
    """A share in per cent with a digit behind the point; a dash where there is none."""
    return ABSENT if share is None else f"{100 * share:.1f}"


def sentences(shown: Sequence[Strip]) -> list[dict]:
    """What the newest strips say, one sentence each: who makes things up least, and who may be as good."""
    newest = sorted((strip for strip in shown if strip.board and strip.firsts), key=_dated, reverse=True)
    return [
        {
            "strip": strip,
            "asked": TASKS[strip.task]["asked"],
            "best": strip.firsts[0],
            "n_others": len(strip.firsts) - 1,
            "dated": day_in_words(strip.board.card["dated"]) if strip.board else "",
        }
        for strip in newest[:N_SENTENCES]
    ]


def _dated(strip: Strip) -> str:
    return str(strip.board.card["dated"]) if strip.board else ""


def choices(shown: Sequence[Strip]) -> dict[str, list[str]]:
    """What can be chosen among: the makers and the years of launch of the models that are drawn."""
    facts = [dot.facts for strip in shown for dot in strip.dots]
    return {
        key: sorted({str(each[key]) for each in facts if key in each}, key=str.casefold)
        for key in ("maker", "year")
    }
