"""The settings of mFAVA."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, model_validator

from truerate.config.blocks import (
    Block,
    Codes,
    Cut,
    Few,
    Items,
    ItemsOrNone,
    Names,
    Number,
    Sampling,
    Seed,
    Share,
    Track,
    Whole,
    Word,
    once,
)
from truerate.config.detectors import Batch, Grid, RateOf
from truerate.config.layout import Layout
from truerate.config.web import ArticleRules
from truerate.core.errors import listed, meant, mistakes
from truerate.core.languages import LANGUAGES, language

WEIGHTS = "seq2seq"  # the setting that names weights which translate, and their name in paths


class Sizes(Grid):
    """How much of mFAVA is built.

    `train`: English passages to learn from, `held_out`: others that are only judged; both are translated into
    every other language. `silver`: passages per language. `articles`: per language, for queries in the wild.
    `natural`: wild replies per language that people label, of all models together. The grid is that of the
    detectors (`Grid`).
    """

    train: Items
    held_out: ItemsOrNone = 0
    silver: Items
    articles: Items
    natural: ItemsOrNone


class Labelling(Block):
    """How the gold labels of mFAVA are made: who labels how much, and how texts that several labelled are
    settled.

    `shared_rate`: of the passages, the share that every annotator labels. `shared_natural_labels`: of the
    labels (not the texts) of replies, the share that goes to replies which every annotator labels; every
    other reply gets one person, because a label of one more reply says more of a rate than a second label.
    `n_plausibility`: passages per language whose marked spans are rated by how likely they fool a reader; null: all.
    """

    n_annotators: Few
    shared_rate: Share
    shared_natural_labels: Share
    screening_agreement: Share
    settle: Literal["max-voting", "closest-to-silver"]
    n_plausibility: ItemsOrNone | None


class Wild(ArticleRules):
    """Which articles are asked about, and how (mFAVA section 4.1, appendix A.5)."""

    min_depth: Annotated[Number, Field(ge=0)]
    queries_per_article: Few
    n_checked: ItemsOrNone
    subset_seeds: Annotated[tuple[Seed, ...], Field(min_length=1), AfterValidator(once)]
    replicates: Few


class Settings(Track):
    """The mFAVA track: silver and gold evaluation data, translate-train, rates in the wild (mFAVA sections 3
    and 4).

    `max_replaced_words`: words that an entity or relation insertion may take out or put in (the paper:
    usually one to three). `retries`: how often a passage or an insertion that was refused is asked for again,
    each time with another seed. `seq2seq_device`: what the weights translate on, `auto` being a GPU where
    there is one; `seq2seq_batch` sentences at a time. `projection`: whether passages are translated with
    their tags, or without, their spans being put back by an alignment of words. `large_from`: billions of
    parameters from which a model is large (Figure 5a); null: the median size of the board's models.
    """

    released: ClassVar[tuple[str, ...]] = ("train", "held-out", "silver", "wild")
    later: ClassVar[frozenset[str]] = frozenset(
        {"subjects", "labelling", "detector", "tokenizer", "large_from", "seq2seq_device", "seq2seq_batch"}
    )
    asks: ClassVar[tuple[str, ...]] = ("writer", "translator", "query_writer", "checker", "subjects")
    builders: ClassVar[Mapping[str, str]] = {
        "writer": "writer",
        "translator": "translator",
        "query writer": "query_writer",
        "checker": "checker",
    }
    weights_in: ClassVar[Mapping[str, str | None]] = {"tokenizer": "words", "seq2seq": None}
    cut: ClassVar[Mapping[str, Cut]] = {
        "write": "drop",
        "insert": "drop",
        "translate": "drop",
        "translate_reference": "drop",
        "query": "drop",
        "check": "read",
        "answer": "keep",
    }

    languages: Annotated[Codes, Field(min_length=1)]
    writer: str | None
    translator: str | None
    seq2seq: Word | None
    seq2seq_device: Literal["auto", "cpu", "cuda"]
    seq2seq_batch: Batch
    projection: Literal["tags", "alignment"]
    query_writer: str | None
    checker: str | None
    subjects: Names
    n_sentences: tuple[Few, Few]
    max_replaced_words: Few
    retries: Annotated[Whole, Field(ge=0, le=10)]
    writing: Sampling
    inserting: Sampling
    translating: Sampling
    querying: Sampling
    answering: Sampling
    wild: Wild
    labelling: Labelling
    tokenizer: Word
    large_from: Annotated[Number, Field(gt=0)] | None = None
    detector: RateOf

    @model_validator(mode="after")
    def _one_translator(self) -> "Settings":
        if self.translator and self.seq2seq:
            raise ValueError("name `translator` or `seq2seq`, not both")
        return self

    @model_validator(mode="after")
    def _few_to_many(self) -> "Settings":
        if self.n_sentences[0] > self.n_sentences[1]:
            raise ValueError(f"n_sentences is {list(self.n_sentences)}; name the fewer first")
        return self


# ---- Mistakes in the settings of a board that only this track can see: lang --------------------------------


def faults(config: Layout, board: str) -> Iterator[str]:
    """A line per mistake, which begins with the place of the setting."""
    settings, where = config.p.track(board), config.p.setting_name(board, "languages")
    named = {where: settings.languages}
    named |= {f"models.{alias}.languages": config.p.model(alias).languages for alias in settings.subjects}
    lines = [
        line
        for setting, codes in named.items()
        for code in codes
        for line in mistakes(setting, language, code, setting, near=partial(meant, code, LANGUAGES))
    ]
    yield from lines or _unwritten(config, board, where)


def _unwritten(config: Layout, board: str, where: str) -> Iterator[str]:
    """Languages that the board asks for and the command of its source is not told to write."""
    name = config.p.board(board).source
    source = config.p.source(name)
    written = source.languages or config.p.languages
    is_told = "{languages}" in (source.make or "")
    if lost := [code for code in config.p.track(board).languages if code not in written] if is_told else []:
        what = f"{lost[0]!r} is not written by source {name!r} of board {board!r}"
        yield f"{where}: {what}; it writes: {listed(written)}"
