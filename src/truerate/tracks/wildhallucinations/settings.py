"""The settings of WildHallucinations."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from truerate.config.blocks import (
    Block,
    Cut,
    Few,
    Items,
    ItemsOrNone,
    Names,
    Number,
    Sampling,
    Seconds,
    SizesOfTrack,
    Track,
    Whole,
    Word,
)
from truerate.config.web import Fetch, Search

PassageWords = Annotated[Whole, Field(ge=1, le=10**5)]


class EvidenceSize(Block):
    """How much of its pages a fact is shown, in place of the same keys of `verification`; null for these."""

    passage_words: PassageWords | None = None
    n_passages: Few | None = None
    window: Few | None = None
    has_titles: bool | None = None


class Sizes(SizesOfTrack):
    """How much of WildHallucinations is built.

    `chats`: conversations that are read (and that the closed world writes). `entities`: at most so many of
    the curated ones are searched for. `labelled`: facts per subject that people label as supported or not.
    `replies`: whole replies per subject of which people say whether each fact is supported. `reviewed`: facts
    of the error analysis. `checked`: entities that people check. `page_mb` and `page_seconds`: the limits of
    a page in place of `fetch.max_bytes` and `fetch.timeout_s`, null for these. `evidence`: how much a fact is
    shown.
    """

    chats: Items
    entities: Items
    labelled: ItemsOrNone
    reviewed: ItemsOrNone
    checked: ItemsOrNone
    replies: ItemsOrNone = 0
    page_mb: Annotated[Number, Field(gt=0, le=1000)] | None = None
    page_seconds: Seconds | None = None
    evidence: EvidenceSize = EvidenceSize()

    @property
    def n_items(self) -> int:
        """An entity counts as the ten pages that are read of it: 35 kB of text each, in the paper's mean."""
        return super().n_items + 9 * self.entities


class Verification(Block):
    """How facts are verified: passages of so many words, the best `n_passages` by BM25 per fact, so many
    facts in one call.

    `n_checked`: facts of each model that are also verified one by one, to hold the batches against. `window`:
    passages in one call at most; with `n_passages` times `facts_per_call` each fact is shown all of its own.
    `has_titles`: the title of its page stands before each passage. `verdicts`: what the verifier may say of a
    fact: two (supported or not), three (supported, contradicted or not mentioned; the last two are not
    supported, and the share of the contradicted is shown). `retriever`: bm25, dense (by the cosine of an
    encoder's vectors; FActScore's is sentence-transformers/gtr-t5-large), or hybrid (both, by reciprocal
    ranks); `encoder`: the Hub id or folder of that encoder.
    """

    passage_words: PassageWords
    n_passages: Few
    facts_per_call: Few
    window: Few
    n_checked: ItemsOrNone
    has_titles: bool = False
    verdicts: Literal["two", "three"] = "two"
    retriever: Literal["bm25", "dense", "hybrid"] = "bm25"
    encoder: Word | None = None

    @model_validator(mode="after")
    def _has_encoder(self) -> "Verification":
        if self.retriever != "bm25" and self.encoder is None:
            raise ValueError(
                f"retriever {self.retriever!r} needs an `encoder`: a Hub id or a folder of weights"
            )
        return self


class Settings(Track):
    """The WildHallucinations track: entities of real chats, web evidence, atomic facts, WildFactScore
    (sections 2 and 3).

    `curator` verifies names, takes out ambiguous ones and names the domain. `verifiers`: further models that
    judge the very same facts by the very same passages as `verifier`. `abstention`: which rule decides
    that a reply abstains. `facts_by`: the fact writer reads a whole reply in one call, or each paragraph in
    one (long replies). `claims`: facts are verified as they are written, or revised: a further call makes each
    self-contained, and those that nobody can check enter no score (VeriScore). `evidence`: the web is searched
    for each entity, or for each claim, whatever is asked (SAFE).
    `rarity`: ngram (counted in the chats) or a causal model's Hub id or path; a source's own perplexities
    come before both. `panel`: the frozen list of subjects of whose entities the
    common subset is made, null for all. `strict`: what Strict makes of a reply with an unread verdict:
    readable (as other replies with facts), paper (no success). `gamma`: of the length penalty (FActScore).
    `f1_at`: the K of F1@K, supported facts from which a reply has told enough (LongFact); null: their median
    over the replies of all subjects (VeriScore). `domains_above`: entities from which a domain has a column.
    """

    released: ClassVar[tuple[str, ...]] = ("entity", "fact")
    later: ClassVar[frozenset[str]] = frozenset(
        {"subjects", "verifiers", "panel", "strict", "gamma", "f1_at", "domains_above", "n_annotators"}
    )
    asks: ClassVar[tuple[str, ...]] = (
        "extractor",
        "curator",
        "fact_writer",
        "verifier",
        "subjects",
        "verifiers",
    )
    builders: ClassVar[Mapping[str, str]] = {
        name.replace("_", " "): name for name in ("extractor", "curator", "fact_writer", "verifier")
    }
    among: ClassVar[Mapping[str, str]] = {"panel": "subjects"}
    files_in: ClassVar[tuple[str, ...]] = ("takedown", "search.recorded")
    endpoints_in: ClassVar[tuple[str, ...]] = ("search.endpoint", "fetch.proxy")
    weights_in: ClassVar[Mapping[str, str | None]] = {"rarity": "ngram", "verification.encoder": None}
    weights_spared: ClassVar[Mapping[str, str]] = {"rarity": "perplexity"}
    cut: ClassVar[Mapping[str, Cut]] = {
        **dict.fromkeys(("extract", "verify", "disambiguate", "domain"), "read"),
        **dict.fromkeys(("write_facts", "revise_facts", "verify_facts"), "read"),
        "generate": "keep",
    }

    extractor: str | None
    curator: str | None
    fact_writer: str | None
    verifier: str | None
    verifiers: Names = ()
    subjects: Names
    takedown: Word | None
    question: Word
    n_samples: Few
    extracting: Sampling
    curating: Sampling
    answering: Sampling
    writing_facts: Sampling
    verifying: Sampling
    abstention: Literal["measured", "paper"]
    search: Search
    fetch: Fetch
    verification: Verification
    rarity: Word
    panel: Names | None
    facts_by: Literal["reply", "paragraph"] = "reply"
    claims: Literal["written", "revised"] = "written"
    evidence: Literal["entity", "claim"] = "entity"
    strict: Literal["readable", "paper"] = "readable"
    gamma: Annotated[Whole, Field(ge=1, le=10**4)]
    f1_at: Annotated[Whole, Field(ge=1, le=10**4)] | None = None
    domains_above: Items
    n_annotators: Few

    @model_validator(mode="after")
    def _has_other_verifiers(self) -> "Settings":
        if self.verifier in self.verifiers:
            raise ValueError(
                f"verifiers names {self.verifier!r}, which is the `verifier` already; name other models there"
            )
        if self.verifiers and self.verifier is None:
            raise ValueError("verifiers needs a `verifier`, with whose verdicts theirs are compared")
        return self

    @field_validator("question")
    @classmethod
    def _names_the_entity(cls, question: str) -> str:
        rest = question.replace("{entity}", "")
        if rest == question or "{" in rest or "}" in rest:
            raise ValueError("must hold {entity}, where the name is put, and no other brace")
        return question
