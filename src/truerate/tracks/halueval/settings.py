"""The settings of HaluEval."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, model_validator

from truerate.config.blocks import (
    Cut,
    Few,
    Items,
    Names,
    Sampling,
    Share,
    Similarity,
    SizesOfTrack,
    Track,
    Whole,
    Word,
    measure_name,
    once,
)

Task = Literal["qa", "dialogue", "summarization", "general"]


class Sizes(SizesOfTrack):
    """Items per task of HaluEval, generated or published; null: all that the source has. `general_pool`:
    queries that are answered, of which `general` are kept.
    """

    caps_published: ClassVar[tuple[str, ...]] = ("qa", "dialogue", "summarization", "general", "general_pool")

    qa: Items | None
    dialogue: Items | None
    summarization: Items | None
    general: Items | None
    general_pool: Items | None

    def named(self) -> dict[str, int]:
        """Return what the command of a source may name besides each size: the largest of all."""
        each = (self.qa, self.dialogue, self.summarization, self.general, self.general_pool)
        return {"n_items": max((n for n in each if n is not None), default=1)}

    @model_validator(mode="after")
    def _pool_holds_kept(self) -> "Sizes":
        if self.general_pool is not None and (self.general is None or self.general_pool < self.general):
            general = "null: all; set general_pool: null, too" if self.general is None else self.general
            raise ValueError(f"general_pool ({self.general_pool}) must be at least general ({general})")
        return self


class Settings(Track):
    """The HaluEval track (HELMA sections 2 and 3).

    Each kind of question has decoding settings of its own: `sampling` those of candidates, `responding` of
    the responses to general queries (null: as `sampling`), `recognition` of verdicts and of sample contrast;
    `filtering`, `chain_of_thought` and `refining` are, where null, as `recognition`.

    `texts`: a task whose texts the source publishes takes these (published), and no model writes it; or
    models write every task, and what the source publishes is left out (generated). The two never stand on one
    board.

    `topics`: of what is asked about, where a judge fails by any wrong verdict (ours); or of the hallucinated
    texts with what was asked, where it fails by passing them over (paper, section 3.2).

    `variants` may name `authors` where `llm.prompts_dir` has the authors' words for a task of the board.
    """

    released: ClassVar[tuple[str, ...]] = ("qa", "dialogue", "summarization", "general")
    reads_unnamed: ClassVar[bool] = True
    later: ClassVar[frozenset[str]] = frozenset(
        {
            "generators",
            "subjects",
            "refinement_judge",
            "n_annotators",
            "probe_pass_rate",
            "n_topics",
            "topics",
        }
    )
    asks: ClassVar[tuple[str, ...]] = (
        "generators",
        "dataset_generator",
        "filter_judge",
        "responder",
        "subjects",
        "refinement_judge",
    )
    builders: ClassVar[Mapping[str, str]] = {
        "generator": "dataset_generator",
        "filter judge": "filter_judge",
        "responder": "responder",
    }
    sources_in: ClassVar[tuple[str, ...]] = ("knowledge_source",)
    weights_in: ClassVar[Mapping[str, str | None]] = {"similarity": "chrf"}
    cut: ClassVar[Mapping[str, Cut]] = {
        "sample": "drop",
        "refine": "drop",
        "respond": "keep",
        "filter": "read",
        "recognise": "read",
    }

    instead: ClassVar[Mapping[str, str]] = {
        "responding": "sampling",
        **dict.fromkeys(("filtering", "chain_of_thought", "refining"), "recognition"),
    }

    tasks: Annotated[tuple[Task, ...], Field(min_length=1), AfterValidator(once)]
    generators: Names
    dataset_generator: str | None
    filter_judge: str | None
    responder: str | None
    subjects: Names
    schemes: Annotated[
        tuple[Literal["one-pass", "conversational"], ...], Field(min_length=1), AfterValidator(once)
    ]
    texts: Literal["published", "generated"] = "published"
    pattern: Literal["assigned", "model"]
    length_slack_words: Annotated[Whole, Field(ge=0, le=1000)]
    sampling: Sampling
    responding: Sampling | None = None
    filtering: Sampling | None = None
    recognition: Sampling
    chain_of_thought: Sampling | None = None
    refining: Sampling | None = None
    variants: Annotated[
        tuple[Literal["plain", "knowledge", "chain-of-thought", "contrast", "authors"], ...],
        Field(min_length=1),
        AfterValidator(once),
    ]
    n_responses: Annotated[Whole, Field(ge=2, le=100)]
    similarity: Similarity
    refinement: bool
    refinement_judge: str | None
    n_retrieved: Few
    knowledge: Literal["source", "retrieved"]
    knowledge_source: Word | None = None
    n_annotators: Annotated[Whole, Field(ge=2, le=1000)]
    probe_pass_rate: Share
    n_topics: Annotated[Whole, Field(ge=2, le=1000)]
    topics: Literal["ours", "paper"] = "ours"

    def decoding(self, kind: str) -> Sampling:
        """The decoding settings of a kind of question, by the name of its block."""
        settings: Sampling | None = getattr(self, kind)
        return settings or self.decoding(self.instead[kind])

    @property
    def searching(self) -> tuple[str, ...]:
        """The purposes whose prompts hold what a search over the board's own documents found, of whichever task."""
        if self.knowledge_source is not None:
            return ()
        return ("refine", "recognise") if self.knowledge == "retrieved" else ("refine",)

    @property
    def measure(self) -> str:
        """What the similarity of responses is called beside its numbers."""
        return measure_name(self.similarity)
