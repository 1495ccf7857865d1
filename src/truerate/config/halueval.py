"""The settings of HaluEval."""

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, model_validator

from truerate.config.blocks import Block, Few, Items, Names, Sampling, Share, Track, Whole, Word, once

Task = Literal["qa", "dialogue", "summarization", "general"]


class HaluEvalSizes(Block):
    """Items per task of HaluEval."""

    qa: Items
    dialogue: Items
    summarization: Items
    general: Items
    general_pool: Items

    @model_validator(mode="after")
    def _pool_holds_kept(self) -> "HaluEvalSizes":
        if self.general_pool < self.general:
            raise ValueError(f"general_pool ({self.general_pool}) must be at least general ({self.general})")
        return self


class HaluEval(Track):
    """The HaluEval track (HELMA sections 2 and 3)."""

    later: ClassVar[frozenset[str]] = frozenset(
        {"generators", "subjects", "n_annotators", "probe_pass_rate", "n_topics"}
    )
    asks: ClassVar[tuple[str, ...]] = (
        "generators",
        "dataset_generator",
        "filter_judge",
        "responder",
        "subjects",
    )

    tasks: Annotated[tuple[Task, ...], Field(min_length=1), AfterValidator(once)]
    generators: Names
    dataset_generator: str | None
    filter_judge: str | None
    responder: str | None
    subjects: Names
    schemes: Annotated[
        tuple[Literal["one-pass", "conversational"], ...], Field(min_length=1), AfterValidator(once)
    ]
    pattern: Literal["assigned", "model"]
    length_slack_words: Annotated[Whole, Field(ge=0, le=1000)]
    sampling: Sampling
    recognition: Sampling
    variants: Annotated[
        tuple[Literal["plain", "knowledge", "chain-of-thought", "contrast"], ...],
        Field(min_length=1),
        AfterValidator(once),
    ]
    n_responses: Annotated[Whole, Field(ge=2, le=100)]
    similarity: Word
    refinement: bool
    n_retrieved: Few
    knowledge: Literal["source", "retrieved"]
    n_annotators: Annotated[Whole, Field(ge=2, le=1000)]
    probe_pass_rate: Share
    n_topics: Annotated[Whole, Field(ge=2, le=1000)]

    def roles(self) -> dict[str, str | None]:
        """Who builds the data set, by role."""
        return {
            "generator": self.dataset_generator,
            "filter judge": self.filter_judge,
            "responder": self.responder,
        }
