"""The context of a board's rows: the knowledge of an item, its conversation in gold or self history."""

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from truerate.core.schemas import pair
from truerate_world.halludial.models.claims import Checker, Finding, turns
from truerate_world.steps import attributes

SELF = "self"
REASKED = "reasked"  # the attribute of a reply whose question was asked again
NAMES = {"user": "User", "assistant": "Assistant"}


class Given(NamedTuple):
    """The knowledge of an item and the turns before its response, each with its speaker."""

    knowledge: str
    turns: tuple[tuple[str, str], ...]

    @property
    def number(self) -> int:
        """How many turns of the assistant stand before the response."""
        return sum(who == "assistant" for who, _ in self.turns)

    def conversation(self, texts_by_key: Mapping[int, str] | None = None) -> str:
        """The turns, a line each; those of the assistant by their number as `texts_by_key` has them."""
        lines, number = [], 0
        for who, text in self.turns:
            if who == "assistant":
                text, number = (texts_by_key or {}).get(number, text), number + 1
            lines.append(f"{NAMES[who]}: {text}")
        return "\n".join(lines)


def givens(items: pl.DataFrame, documents: pl.DataFrame) -> dict[str, Given]:
    """What was given of each item, by its id."""
    texts = dict(documents.select("document_id", "text").iter_rows())
    givens_by_key = {}
    for row in items.select("item_id", "document_ids", "history", "question").iter_rows(named=True):
        knowledge = "\n\n".join(texts[name] for name in row["document_ids"] if name in texts)
        last = [("user", " ".join(row["question"].split()))] if row["question"].strip() else []
        givens_by_key[row["item_id"]] = Given(knowledge, (*turns(row["history"]), *last))
    return givens_by_key


class Response(NamedTuple):
    """A response that was read: whose, to which dialogue, how it was asked for, and its truth."""

    generation_id: str
    model: str
    group_id: str
    split: str
    history: str
    temperature: str
    finding: Finding

    @property
    def is_hallucinated(self) -> bool:
        """Whether any part of it is."""
        return self.finding.is_hallucinated


def standing(rows: pl.DataFrame) -> pl.DataFrame:
    """The replies that stand: of a question that was asked again the last one."""
    return rows.filter(pair("attributes", REASKED).is_null())


def responses(checker: Checker, given: Mapping[str, Given], generations: pl.DataFrame) -> list[Response]:
    """Every response that was read, with its truth in the conversation that its model saw."""
    rows = generations.filter((pl.col("purpose") == "respond") & (pl.col("status") == "ok"))
    rows = rows.filter(pl.col("item_id").is_in(list(given))).sort("generation_id")
    responses = [(row, attributes(row)) for row in rows.iter_rows(named=True)]
    record: dict[tuple, dict[int, str]] = {}
    for row, facts in responses:
        if facts["history"] == SELF:
            record.setdefault(_dialogue(row, facts), {})[given[row["item_id"]].number] = row["text"]
    return [_response(checker, row, facts, given[row["item_id"]], record) for row, facts in responses]


def _dialogue(row: Mapping, facts: Mapping[str, str]) -> tuple:
    return row["model"], facts.get("group_id", ""), facts.get("dialogue", "")


def _response(
    checker: Checker, row: Mapping, facts: Mapping[str, str], given: Given, record: Mapping
) -> Response:
    earlier = record.get(_dialogue(row, facts), {}) if facts["history"] == SELF else {}
    finding = checker.finding(row["text"], given.knowledge, given.conversation(earlier))
    where = (facts.get("group_id", ""), facts.get("split", ""), facts["history"], facts["temperature"])
    return Response(row["generation_id"], row["model"], *where, finding)
