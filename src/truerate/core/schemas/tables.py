"""The tables of the house: one declaration each."""

from typing import Any

import polars as pl

from truerate.core.schemas.declare import PAIRS, SPANS, Field, Table

# words in small letters; which there are is said by the cards of the tracks
TASK = r"[a-z][a-z0-9]*(-[a-z0-9]+)*"
STATUSES = ["ok", "dead", "abstained", "unparsed"]
NO_ANSWERS = "no_answers"  # how the metric ends that stands for a subject whose every reply is a dead letter
LABEL_SOURCES = ["gold", "silver", "published"]
SPLITS = ["train", "test"]


class Document(Table):
    """A reference text. `dated` is the text's own date (ISO 8601), not when it was fetched."""

    document_id: str = Field(unique=True)
    lang: str
    title: str
    text: str
    url: str = Field(nullable=True)
    source: str
    licence: str
    dated: str = Field(nullable=True)
    is_wikipedia: bool


class Item(Table):
    """One thing to ask about. `group_id` names what must not be split between training and test.

    `question` is the question (qa), the last user turn (dialogue), the query (general) or empty
    (summarization); `history` the earlier turns; `right_answer` the answer, response or summary taken as
    right (null for general). The knowledge of an item is the text of its documents, joined by blank lines in
    the order of `document_ids`. What an item of a
    task is, is said by the card of its track.
    """

    item_id: str = Field(unique=True)
    source: str
    task: str = Field(like=TASK)
    lang: str
    group_id: str
    document_ids: list[Any] = Field(kind=pl.List(pl.String))
    history: str
    question: str
    right_answer: str = Field(nullable=True)
    attributes: list[Any] = Field(kind=PAIRS)


class Generation(Table):
    """One model's reply to one prompt about one item. `params` is the request's settings as JSON.

    `reason` says why a reply is not ok; `text` is empty where none came. `n_tokens_*` are as the endpoint
    counted them, `cost_usd` by the prices in params. `attributes` hold scheme, pattern, order, … as the
    purpose needs.
    """

    generation_id: str = Field(unique=True)
    item_id: str
    purpose: str
    model: str
    sample_index: int = Field(ge=0)
    params: str
    text: str
    finish_reason: str = Field(nullable=True)
    status: str = Field(isin=STATUSES)
    reason: str = Field(nullable=True)
    prompt_key: str
    n_tokens_in: int = Field(nullable=True, ge=0)
    n_tokens_out: int = Field(nullable=True, ge=0)
    cost_usd: float = Field(ge=0)
    attributes: list[Any] = Field(kind=PAIRS)


class Sample(Table):
    """A labelled text. `pair_id` joins the two sides of a pair (null where a text stands alone).

    Spans are code points into `text`, half-open. `generator` is the model that wrote the text, null for
    people and sources.
    """

    sample_id: str = Field(unique=True)
    item_id: str
    pair_id: str = Field(nullable=True)
    group_id: str
    task: str = Field(like=TASK)
    lang: str
    text: str
    is_hallucinated: bool
    label_source: str = Field(isin=LABEL_SOURCES)
    generator: str = Field(nullable=True)
    pattern: str = Field(nullable=True)
    spans: list[Any] = Field(kind=SPANS)
    rationale: str = Field(nullable=True)
    split: str = Field(isin=SPLITS)
    attributes: list[Any] = Field(kind=PAIRS)


class Fact(Table):
    """One atomic fact of a reply; its verdicts are Judgements of its id.

    `subject` is the model that wrote the reply, `sentence_index` the place (from 0) of the sentence that it
    was taken from. `evidence` are the passages that it was checked against, best first, as
    `document_id:start-end` (code points). `is_duplicate`: an earlier fact of the reply says the same;
    `is_title`: it says no more than that what was asked about is what it is called.
    """

    fact_id: str = Field(unique=True)
    generation_id: str
    item_id: str
    subject: str
    sentence_index: int = Field(ge=0)
    sentence: str
    text: str
    is_duplicate: bool
    is_title: bool
    evidence: list[Any] = Field(kind=pl.List(pl.String))


class Judgement(Table):
    """What a detector, judge or annotator says of one text. `verdict` true: it contains hallucination; null:
    none could be read.

    `p` is the detector's probability of hallucination in [0, 1]. `spans` of a token detector are soft ones, each with
    its p, where the text has labels; of any other text they are those that are marked. `attributes` hold variant,
    order, stage (`refined`), …
    """

    judgement_id: str = Field(unique=True)
    judge: str
    judge_version: str
    target_id: str
    verdict: bool = Field(nullable=True)
    status: str = Field(isin=STATUSES)
    reason: str = Field(nullable=True)
    spans: list[Any] = Field(kind=SPANS)
    p: float = Field(nullable=True, ge=0, le=1)
    rationale: str = Field(nullable=True)
    attributes: list[Any] = Field(kind=PAIRS)


class Score(Table):
    """One aggregate. `low` and `high` are its interval; `value` null where nothing was measured.

    `method` says how it was got: `estimator` (from our rows), `published` (printed by the paper), `planted`
    (the closed world's truth). `n` is the number of rows behind it, `inputs` the digest of the tables it was
    made from.
    """

    board: str
    metric: str
    subject: str
    slice: list[Any] = Field(kind=PAIRS)
    value: float = Field(nullable=True)
    low: float = Field(nullable=True)
    high: float = Field(nullable=True)
    method: str = Field(isin=["estimator", "published", "planted"])
    n: int = Field(ge=0)
    inputs: str


class Outcome(Table):
    """What one subject got on one unit: the raw material of paired tests. `value`: a share or 0 and 1, null
    where the unit does not count.

    Where a score is no plain mean it is what the unit says of it, which may leave [0, 1]: the mean over units
    is the score. Units of one `cluster_id` (pair, dialogue, article, entity) are not independent of one
    another.
    """

    board: str
    metric: str
    subject: str
    slice: list[Any] = Field(kind=PAIRS)
    unit_id: str
    cluster_id: str
    value: float = Field(nullable=True)


class Row(Table):
    """One cell of a leaderboard line, in long form. Rank ranges are null for reference rows and unranked
    metrics, and where one model or less was measured; models are ranked among models, and a baseline's range is the
    place that it would take among them. `is_leading`: whether it may be the best: a model that comparisons with the
    best leave in, and that nothing it was tested against, model or baseline, is significantly better than; no
    baseline is. Null where nothing is compared.

    `kind` says what the subject is: `model`, `baseline` (needs no call), `published`, `planted`.
    """

    board: str
    table: str
    subject: str
    kind: str = Field(isin=["model", "baseline", "published", "planted"])
    metric: str
    slice: list[Any] = Field(kind=PAIRS)
    rank_low: int = Field(nullable=True, ge=1)
    rank_high: int = Field(nullable=True, ge=1)
    is_leading: bool = Field(nullable=True)
    value: float = Field(nullable=True)
    low: float = Field(nullable=True)
    high: float = Field(nullable=True)
    n: int = Field(ge=0)
    provenance: str


class Reject(Table):
    """A row that was not kept, with its reason. `row` is the 1-based row of a source file, null elsewhere."""

    where: str
    row: int = Field(nullable=True)
    target_id: str = Field(nullable=True)
    reason: str
    detail: str
    text: str


class Count(Table):
    """The account of one step: every reply is one of four outcomes, `n_in = n_ok + n_dead + n_abstained +
    n_unparsed`.

    `n_thought`: replies, whatever their outcome, from which thought was cut.
    """

    RULES = {
        "n_in = n_ok + n_dead + n_abstained + n_unparsed": pl.sum_horizontal(
            "n_ok", "n_dead", "n_abstained", "n_unparsed"
        )
        == pl.col("n_in")
    }

    step: str
    model: str
    slice: list[Any] = Field(kind=PAIRS)
    n_in: int = Field(ge=0)
    n_ok: int = Field(ge=0)
    n_dead: int = Field(ge=0)
    n_abstained: int = Field(ge=0)
    n_unparsed: int = Field(ge=0)
    n_thought: int = Field(ge=0)
