"""The settings of WildHallucinations."""

import re
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from truerate.config.blocks import (
    Block,
    Few,
    Header,
    Items,
    ItemsOrNone,
    Names,
    Pause,
    Sampling,
    Seconds,
    Share,
    Size,
    Track,
    Variable,
    Whole,
    Word,
)


class WildHallucinationsSizes(Block):
    """How much of WildHallucinations is built.

    `chats`: conversations that are read (and that the closed world writes). `entities`: at most so many of
    the curated ones are searched for. `labelled`: facts per subject that people label as supported or not.
    `reviewed`: facts of the error analysis. `checked`: entities that people check.
    """

    chats: Items
    entities: Items
    labelled: ItemsOrNone
    reviewed: ItemsOrNone
    checked: ItemsOrNone


class Search(Block):
    """Where web pages are searched for: an endpoint or address in the form of Google's Custom Search JSON
    API, or recorded results.

    `url` is asked with `q`, `num`, and `key` and `cx` from the environment variables named by `key_env` and
    `engine_env`. With `endpoint`, `url` is a path of that endpoint. `recorded`: a JSONL file of queries and
    their results, asked before any address is.
    """

    endpoint: str | None = None
    url: Word | None = None
    key_env: Variable | None = None
    engine_env: Variable | None = None
    recorded: Word | None = None
    n_results: Annotated[Whole, Field(ge=1, le=10)]

    @model_validator(mode="after")
    def _somewhere(self) -> "Search":
        if not (self.url or self.recorded):
            raise ValueError("name `url`, `recorded` or both")
        form = r"/\S*" if self.endpoint else r"https?://[^/\s]\S*"
        if self.url and not re.fullmatch(form, self.url):
            raise ValueError(
                "`url` is a path such as /customsearch/v1 with `endpoint`, else an address that begins with http"
            )
        return self


class Fetch(Block):
    """How pages are fetched, and which are dropped.

    `proxy`: an endpoint through which everything is fetched (as an HTTP proxy), null for none.
    `allowed_private`: hosts or networks that may be private or loopback. `timeout_s`: seconds that a page may
    take to come, and seconds of computing to be read. `per_host_s`: seconds between two requests to one host,
    0 for none; `unlimited_hosts` have none. `extract`: main (trafilatura's main text) or tags (all text
    outside tags, the paper's way).
    """

    proxy: str | None
    concurrency: Few
    timeout_s: Seconds
    max_bytes: Size
    max_redirects: Annotated[Whole, Field(ge=0, le=100)]
    per_host_s: Pause
    unlimited_hosts: Names
    user_agent: Header
    robots: bool
    allowed_private: Names
    login_hosts: Names
    sign_in_phrases: Names
    extract: Literal["main", "tags"]


class Verification(Block):
    """How facts are verified: passages of so many words, the best `n_passages` by BM25 per fact, so many
    facts in one call.

    `checked_rate`: share of the facts that are also verified one by one, to hold the batches against.
    `window`: passages in one call at most.
    """

    passage_words: Annotated[Whole, Field(ge=1, le=10**5)]
    n_passages: Few
    facts_per_call: Few
    window: Few
    checked_rate: Share


class WildHallucinations(Track):
    """The WildHallucinations track: entities of real chats, web evidence, atomic facts, WildFactScore
    (sections 2 and 3).

    `curator` verifies names, takes out ambiguous ones and names the domain. `abstention`: which rule decides
    that a reply abstains. `rarity`: ngram (counted in the chats) or a causal model's Hub id or path. `panel`:
    the frozen list of subjects of whose entities the common subset is made, null for all. `gamma`: of the
    length penalty (FActScore). `domains_above`: entities from which a domain has a column.
    """

    later: ClassVar[frozenset[str]] = frozenset(
        {"subjects", "panel", "gamma", "domains_above", "n_annotators"}
    )
    asks: ClassVar[tuple[str, ...]] = ("extractor", "curator", "fact_writer", "verifier", "subjects")

    extractor: str | None
    curator: str | None
    fact_writer: str | None
    verifier: str | None
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
    gamma: Annotated[Whole, Field(ge=1, le=10**4)]
    domains_above: Items
    n_annotators: Few

    def files(self) -> tuple[str, ...]:
        """The take-down list and recorded results."""
        return tuple(path for path in (self.takedown, self.search.recorded) if path is not None)

    def endpoints(self) -> tuple[str, ...]:
        """Where it searches, and through what it fetches."""
        return tuple(
            dict.fromkeys(name for name in (self.search.endpoint, self.fetch.proxy) if name is not None)
        )

    @field_validator("question")
    @classmethod
    def _names_the_entity(cls, question: str) -> str:
        rest = question.replace("{entity}", "")
        if rest == question or "{" in rest or "}" in rest:
            raise ValueError("must hold {entity}, where the name is put, and no other brace")
        return question

    def roles(self) -> dict[str, str | None]:
        """Who builds the data set, by role."""
        return {
            "extractor": self.extractor,
            "curator": self.curator,
            "fact writer": self.fact_writer,
            "verifier": self.verifier,
        }
