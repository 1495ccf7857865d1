"""The samples of a board in the columns of a public format; a form is named like the reader that reads it
back.

HalluDial's columns are `dialogue_id`, `knowledge`, `dialogue_history` (`[Human]: … [Assistant]: … [Human]:
…`), `turn` (from 0), `response`, `target` (`Yes.` or `No.`, then the reason, which quotes every segment).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from truerate.core.errors import TruerateError, listed
from truerate.core.schemas import pair
from truerate.core.spans.quotes import located
from truerate.hub.shards import Config

SCENARIOS = ("spontaneous", "induced")
SCHEMA = {
    "dialogue_id": pl.Int64, "knowledge": pl.String, "dialogue_history": pl.String, "turn": pl.Int64,
    "response": pl.String, "target": pl.String,
}  # fmt: skip
NEEDED = tuple("group_id history question knowledge text is_hallucinated rationale spans attributes".split())


def halludial_form(configs: Sequence[Config]) -> list[Config]:
    """Return a config for each scenario of HalluDial (and licence, where there are several): the samples with
    that attribute, a turn, knowledge and a question, in the splits of `configs`, in order of dialogue and
    turn.
    """
    of_dialogues = [config for config in configs if _is_of_dialogues(config)]
    frames = [frame for config in of_dialogues for frame in config.splits.values()]
    groups = sorted({group for frame in frames for group in frame["group_id"]})
    numbers = {group: number for number, group in enumerate(groups)}
    forms = []
    for config in of_dialogues:
        for scenario in SCENARIOS:
            splits = {name: _rows(frame, scenario, numbers) for name, frame in config.splits.items()}
            splits = {name: frame for name, frame in splits.items() if frame.height}
            suffix = config.name.removeprefix("dialogue")
            words = f"one response with its label and the reason, in HalluDial's columns ({scenario})"
            named = {"name": f"halludial-{scenario}{suffix}", "description": words}
            forms += [replace(config, splits=splits, is_default=False, **named)] if splits else []
    return forms


def _is_of_dialogues(config: Config) -> bool:
    """Return whether a config holds labelled responses of dialogues with their texts."""
    is_named = f"{config.name}-".startswith("dialogue-")
    return config.has_texts and is_named and set(NEEDED) <= set(config.schema)


def _rows(frame: pl.DataFrame, scenario: str, numbers: Mapping[str, int]) -> pl.DataFrame:
    """The rows of one scenario of a split."""
    rows = frame.with_columns(
        pair("attributes", "scenario").alias("scenario"),
        pair("attributes", "turn").cast(pl.Int64, strict=False).alias("turn"),
    ).filter(
        (pl.col("scenario") == scenario) & pl.col("turn").is_not_null() & pl.col("knowledge").is_not_null()
    )
    records = [
        (
            numbers[row["group_id"]],
            row["knowledge"],
            " ".join([*row["history"].split("\n"), f"[Human]: {row['question']}"]).strip(),
            row["turn"],
            row["text"],
            target_of(row["text"], row["rationale"], row["spans"], is_hallucinated=row["is_hallucinated"]),
        )
        for row in rows.filter(pl.col("question").str.strip_chars() != "").iter_rows(named=True)
    ]
    whole = pl.DataFrame(records, schema=SCHEMA, orient="row")
    return whole.sort("dialogue_id", "turn", "response", "target", maintain_order=True)


def target_of(text: str, rationale: str | None, spans: Sequence[Mapping], *, is_hallucinated: bool) -> str:
    """A label and its reason in HalluDial's form, behind the segments that the reason does not quote."""
    reason = (rationale or "").strip()
    if is_hallucinated:
        quoted = located(reason, text).segments
        segments = [(span["start"], span["end"]) for span in spans]
        missing = [text[slice(*segment)] for segment in segments if segment not in quoted]
        strings = " and ".join(f'"{part}"' for part in missing)
        reason = f"The response is wrong in {strings}. {reason}".strip() if missing else reason
    return f"{'Yes' if is_hallucinated else 'No'}. {reason}".strip()


FORMS = {"halludial": halludial_form}


def in_forms(configs: Sequence[Config], forms: Iterable[str]) -> list[Config]:
    """The configs that hold the samples of `configs` once more, in the columns of each form.

    Raises TruerateError for a form that is not known. Configs without texts give none.
    """
    wanted = sorted(set(forms))
    if unknown := [name for name in wanted if name not in FORMS]:
        where = f"publishing in the columns of {unknown[0]!r}"
        raise TruerateError(f"{where}: not known; allowed: {listed(FORMS)}")
    return [config for name in wanted for config in FORMS[name](configs)]
