"""The form `trees`: boosted trees mark words by what knowledge and conversation say of them, and the
judgement is composed of the marks.

No text decides about itself: what turns marks into judgements is chosen on marks by trees that learned from
the other folds; those that judge learned from all of them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.core.keys import draw
from truerate.core.schemas import read_json
from truerate.detectors.fetched import CONFIG, check_sums, downloaded
from truerate.detectors.judges.decision import DIGITS, Decision, decide
from truerate.detectors.judges.judged import (
    DECISION,
    Judged,
    held_out,
    judged_all,
    load_decision,
    reference_of,
    save_decision,
)
from truerate.detectors.judges.word_grounds import LabelledWords, marked_words, usage_of, usual, word_grounds
from truerate.detectors.tokens.boosting import Trees, fit_trees, probabilities
from truerate.detectors.tokens.cells import Job, Reader
from truerate.detectors.tokens.features import reference_index, units
from truerate.detectors.tokens.rules import STATE, load_state, save_state
from truerate.detectors.tokens.span_probabilities import Reading

SHAPE = {
    "max_iter": 120,
    "learning_rate": 0.08,
    "max_leaf_nodes": 12,
    "min_samples_leaf": 10,
    "l2_regularization": 1.0,
}  # chosen on boards of other worlds; a few hundred texts teach them
MODEL_TYPE = "truerate-tree-judge"  # in the config.json of a published judge of this form
FILES = (CONFIG, STATE, DECISION)  # what is read of a repository: arrays and numbers, no code and no pickle
N_WORST = 1  # words whose p is a text's suspicion: a wrong year is one word
SLICE = 1024  # texts whose words are judged together


class Words(NamedTuple):
    """The words of some texts: numbers (words, columns), which are marked (words,), words per text."""

    features: np.ndarray
    marked: np.ndarray
    sizes: list[int]

    def of(self, chosen: np.ndarray) -> np.ndarray:
        """Return which words are those of chosen texts, (words,); `chosen` (texts,)."""
        return np.repeat(chosen, self.sizes)


def fit(job: Job, folder: Path) -> tuple[dict, dict]:
    """Learn to mark and to decide, out of fold; what was found. Texts of one label alone teach nothing."""
    passages = job.passages.sort("target_id")
    rows = passages.to_dicts()
    labelled = []
    for row in rows:
        inside, reference = units(row["text"]), reference_index(_reference(row))
        labelled.append(LabelledWords(row["group_id"], inside, marked_words(inside, row["spans"]), reference))
    if not any(text.marked.any() for text in labelled) or passages["is_hallucinated"].all():
        return {"is_fitted": False}, {}
    usage = usage_of(labelled)
    # of what is usual each text is told by the other groups alone
    odds_by_group = {group: usual(usage, group) for group in passages["group_id"].unique(maintain_order=True)}
    numbers = np.concatenate([_numbers(row, odds_by_group[row["group_id"]])[1] for row in rows])
    sizes = [len(text.marked) for text in labelled]
    words = Words(numbers, np.concatenate([text.marked for text in labelled]), sizes)
    fold = np.array([int(draw("fold", text.group_id) * job.how.folds) for text in labelled])
    p = out_of_fold(words, fold, job.cell.seed)
    each = zip(passages["target_id"], labelled, np.split(p, np.cumsum(sizes)[:-1]), strict=True)
    read = {target: _reading(text.words.offsets, text_p) for target, text, text_p in each}
    decision = decide(held_out(passages, read), n_worst=N_WORST)
    odds = usual(usage)
    state = fit_trees(words.features, words.marked, job.cell.seed, **SHAPE)
    save_state(state | {"stems": np.array(list(odds)), "odds": np.array(list(odds.values()))}, folder)
    save_decision(decision, folder)
    return {"is_fitted": True, "n_texts": passages.height, "n_words": len(words.marked)}, {}


def out_of_fold(words: Words, fold: np.ndarray, seed: int) -> np.ndarray:
    """P(marked) of every word (words,) by trees fitted on the other folds; 0 where these mark no word."""
    p = np.zeros(len(words.marked))
    for number in np.unique(fold):
        inside = words.of(fold == number)
        labels = words.marked[~inside]
        if labels.any() and not labels.all():
            p[inside] = probabilities(
                fit_trees(words.features[~inside], labels, seed, **SHAPE), words.features[inside]
            )
    return p


def _reference(row: Mapping) -> str:
    return reference_of(row["knowledge"], row["history"], row["question"])


def _numbers(row: Mapping, odds: Mapping[str, float]):
    conversation = f"{row['history']}\n{row['question']}"
    return word_grounds(row["text"], row["knowledge"], conversation, _reference(row), odds)


def _reading(offsets: np.ndarray, p: np.ndarray) -> Reading:
    return Reading(offsets, np.round(p, DIGITS), np.ones(len(p), dtype=int))


class Marker(NamedTuple):
    """Fitted trees with what is usual of each stem, and the decision that goes with them."""

    trees: Trees
    odds: dict[str, float]
    decision: Decision

    @staticmethod
    def load(folder: Path) -> "Marker":
        """Return what `fit` wrote or was published. Raises TruerateError where it is missing or altered."""
        check_sums(folder, FILES, f"loading judge {folder.name!r}")
        state = load_state(folder)
        odds = dict(zip(state.pop("stems").tolist(), state.pop("odds").tolist(), strict=True))
        return Marker(state, odds, load_decision(folder))

    def judge(self, passages: pl.DataFrame) -> list[Judged]:
        """Judge each passage (`target_id`, `text`, `knowledge`, `history`, `question`), in order."""
        return [judgement for part in passages.iter_slices(SLICE) for judgement in self._judged(part)]

    def _judged(self, passages: pl.DataFrame) -> list[Judged]:
        """Judge passages together: a text alone costs as much as a thousand words."""
        rows = passages.to_dicts()
        words_by_text = [_numbers(row, self.odds) for row in rows]
        numbers = [values for _, values in words_by_text if len(values)]
        if not numbers:
            return judged_all(passages, {}, self.decision)
        p = probabilities(self.trees, np.concatenate(numbers))
        ends = np.cumsum([len(values) for _, values in words_by_text])[:-1]
        read = {
            row["target_id"]: _reading(words.offsets, values)
            for row, (words, _), values in zip(rows, words_by_text, np.split(p, ends), strict=True)
            if len(values)
        }
        return judged_all(passages, read, self.decision)


def fetched(repo: str, revision: str | None) -> Path | None:
    """The folder that holds a published judge of this form, from a repository of the Hub; None where another
    kind of detector was published there. Raises TruerateError where nothing can be fetched.
    """
    config = downloaded(repo, revision, [CONFIG]) / CONFIG
    if not config.is_file() or read_json(config).get("model_type") != MODEL_TYPE:
        return None
    return downloaded(repo, revision, FILES)


def is_marker(folder: Path) -> bool:
    """Return whether a folder holds what this form writes."""
    return (folder / STATE).is_file() and (folder / DECISION).is_file()


def judge(reader: Reader, passages: pl.DataFrame) -> list[Judged]:
    """Return what the judge says of each passage, in their order."""
    return Marker.load(reader.folder).judge(passages)
