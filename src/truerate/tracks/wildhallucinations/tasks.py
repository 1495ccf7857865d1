"""What people are given: facts to label, verdicts to review, whole replies, entities to check (WildHallucinations section 4.3
and appendix).

Facts are drawn from strata of subject × verdict, so that rare verdicts are seen, too; `weight` is the number of facts that a
drawn one stands for. The draw goes by each row's name: labels that came stay of use when facts are added, and the slices
in which rows come decide nothing. No more rows are kept than may be drawn, and how many there are.
"""

from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from io import BytesIO
from typing import NamedTuple

import polars as pl

from truerate.core.keys import content_id, draw
from truerate.core.schemas import pair
from truerate.core.text import passage_of
from truerate.llm.retrieved import read
from truerate.tracks.wildhallucinations.verifier import verdicts_of

FACT, REVIEW, ENTITY = "fact", "review", "entity"
BEGINNING = 400  # characters of a page that are shown to whoever checks an entity
REPLY = "reply"
OF_FACTS = ("subject", "is_supported")  # strata of the facts with a verdict
OF_REPLIES = ("subject",)  # strata of the replies that respond and can be read
DRAW, N = "draw", "n_in_stratum"


# ---- drawing --------------------------------------------------------------------------------------------------


class Drawn(NamedTuple):
    """The rows of each stratum that come first, with their `draw`; and of each stratum the number of its rows."""

    rows: pl.DataFrame
    sizes: pl.DataFrame

    def sizes_of(self, subject: str) -> dict[bool, int]:
        """How many rows there are of a subject, by the second column of its strata."""
        own = self.sizes.filter(subject=subject).drop("subject")
        return dict(own.iter_rows())


def drawn(rows: pl.DataFrame, by: Sequence[str], name: str, *, n: int, at: Sequence[object]) -> Drawn:
    """Of each stratum (a value of the columns `by`) the `n` rows whose names `core.keys.draw` puts first; `at`: the seed
    and what the draw is for.
    """
    kept = [rows.clear().with_columns(pl.lit(0.0).alias(DRAW))]
    for _, part in rows.group_by(by, maintain_order=True):
        first = nsmallest(n, ((draw(*at, one), one) for one in part[name]))
        order = pl.DataFrame(first, schema={DRAW: pl.Float64, name: pl.String}, orient="row")
        kept.append(part.join(order, on=name, how="inner", maintain_order="right"))
    return Drawn(pl.concat(kept), rows.group_by(by, maintain_order=True).agg(pl.len().alias(N)))


def joined(parts: Sequence[Drawn], by: Sequence[str], name: str, *, n: int) -> Drawn:
    """What is drawn of all slices, from what is of each."""
    rows = pl.concat([part.rows for part in parts]).sort(DRAW, name)
    sizes = pl.concat([part.sizes for part in parts]).group_by(by, maintain_order=True).agg(pl.col(N).sum())
    return Drawn(_anew(rows.group_by(by, maintain_order=True).head(n).select(rows.columns)), sizes)


def _anew(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows, written anew: a few that were taken out of many hold on to the texts of all of these."""
    file = BytesIO()
    rows.write_parquet(file, compression="uncompressed", statistics=False)
    file.seek(0)
    return pl.read_parquet(file)


# ---- facts, reviews and entities ----------------------------------------------------------------------------------


def annotation_tasks(
    items: pl.DataFrame,
    facts: pl.DataFrame,
    judgements: pl.DataFrame,
    documents: pl.DataFrame | pl.LazyFrame,
    *,
    verifier: str | None,
    n_labelled: int,
    n_reviewed: int,
    n_checked: int,
    seed: int,
    generations: pl.DataFrame | None = None,
) -> list[dict]:
    """All annotation tasks, by `task_id`: `n_labelled` facts per subject, `n_reviewed` verdicts and
    `n_checked` entities in all.

    Each has `task_id`, `kind`, `fact_id`, `item_id`, `text`, `subject`, `entity`, `passages`, `verdict`
    (supported, unsupported) and `weight`; what a kind does not have is null. Facts without a verdict are in
    no stratum. The verdict stands in the task, and is not to be shown to those who label facts. A review of a fact
    whose model told in `generations` what it was given has that too: `retrieved`, a list of texts.
    """
    sizes = {"n_labelled": n_labelled, "n_reviewed": n_reviewed, "seed": seed}
    draws = fact_draws(facts, judgements, generations, verifier=verifier, **sizes)
    return drawn_tasks(items, draws, documents, **sizes, n_checked=n_checked)


def fact_draws(
    facts: pl.DataFrame,
    judgements: pl.DataFrame,
    generations: pl.DataFrame | None,
    *,
    verifier: str | None,
    n_labelled: int,
    n_reviewed: int,
    seed: int,
) -> dict[str, Drawn]:
    """The facts that may be drawn to be labelled and reviewed, by purpose: whole rows with `is_supported`, those to be
    reviewed with what their model was given (`retrieved`), as text. Of slices see `strata.joined`.
    """
    slim = facts.select("fact_id", "subject")  # of the rows those that are drawn are read
    known = verdicts_of(slim, judgements, verifier).drop_nulls("is_supported").sort("fact_id")
    found = {}
    for purpose, n in ((FACT, n_labelled), (REVIEW, n_reviewed)):
        rows, sizes = drawn(known, OF_FACTS, "fact_id", n=n, at=(seed, purpose))
        whole = rows.join(facts.drop("subject"), on="fact_id", how="left", maintain_order="left")
        if purpose == REVIEW:
            whole = whole.join(
                _told(generations, whole), on="generation_id", how="left", maintain_order="left"
            )
        found[purpose] = Drawn(whole, sizes)
    return found


def _told(generations: pl.DataFrame | None, facts: pl.DataFrame) -> pl.DataFrame:
    """What the models of the replies of some facts were given, as text, where that is told."""
    if generations is None:
        return pl.DataFrame(schema={"generation_id": pl.String, "retrieved": pl.String})
    own = generations.filter(pl.col("generation_id").is_in(facts["generation_id"].unique().implode()))
    return own.select("generation_id", pair("attributes", "retrieved")).unique(
        "generation_id", keep="first", maintain_order=True
    )


def drawn_tasks(
    items: pl.DataFrame,
    draws: Mapping[str, Drawn],
    documents: pl.DataFrame | pl.LazyFrame,
    *,
    n_labelled: int,
    n_reviewed: int,
    n_checked: int,
    seed: int,
) -> list[dict]:
    """`annotation_tasks` from the facts that may be drawn (`fact_draws`)."""
    subjects = draws[FACT].sizes["subject"].unique().sort().to_list()
    n_of = {subject: sum(draws[FACT].sizes_of(subject).values()) for subject in subjects}
    shares = dict(zip(subjects, dealt(list(n_of.values()), n_reviewed), strict=True))
    chosen = []
    for purpose, sizes in ((FACT, dict.fromkeys(subjects, n_labelled)), (REVIEW, shares)):
        for name, n in sizes.items():
            own, found = draws[purpose].rows.filter(subject=name), draws[purpose].sizes_of(name)
            chosen += [(purpose, row) for row in stratified(own, n, seed, purpose, found)]
    names = dict(items.select("item_id", "question").iter_rows())
    texts = texts_cited((row["evidence"] for _, row in chosen), documents)
    made = [_fact_task(kind, row, names, texts) | _given(kind, row) for kind, row in chosen]
    looked_at = checked(items, n_checked, seed)
    beginnings = _beginnings({name for row, _ in looked_at for name in row["document_ids"]}, documents)
    made += [_entity_task(row, weight, beginnings) for row, weight in looked_at]
    return sorted(made, key=lambda task: task["task_id"])


def stratified(
    facts: pl.DataFrame, n: int, seed: int, purpose: str, sizes: Mapping[bool, int] | None = None
) -> list[dict]:
    """`n` of the facts, half of either verdict as far as there are as many, each row with its `weight`. `sizes`: how
    many facts there are by `is_supported`, where these are but the first of them.
    """
    parts = {False: facts.filter(~pl.col("is_supported")), True: facts.filter("is_supported")}
    heights = [parts[part].height if sizes is None else sizes.get(part, 0) for part in parts]
    found = []
    for part, height, size in zip(parts.values(), heights, dealt(heights, n), strict=True):
        names = nsmallest(size, part["fact_id"], key=lambda name: (draw(seed, purpose, name), name))
        rows = {row["fact_id"]: row for row in part.filter(pl.col("fact_id").is_in(names)).to_dicts()}
        found += [{**rows[name], "weight": height / size} for name in names]
    return found


def dealt(sizes: Sequence[int], n: int) -> list[int]:
    """How `n` are dealt to groups of these sizes: evenly, small groups whole, earlier groups first where it
    does not come out even.
    """
    left, shares = n, [0] * len(sizes)
    order = sorted(range(len(sizes)), key=lambda place: (sizes[place], place))
    for done, place in enumerate(order):
        shares[place] = min(sizes[place], -(-left // (len(order) - done)))
        left -= shares[place]
    return shares


def checked(items: pl.DataFrame, n: int, seed: int) -> list[tuple[dict, float]]:
    """`n` of the entities, with the number of entities that each stands for."""
    rows = items.filter(pl.col("task") == "entity").to_dicts()
    drawn = sorted(rows, key=lambda row: (draw(seed, ENTITY, row["item_id"]), row["item_id"]))[:n]
    return [(row, len(rows) / len(drawn)) for row in drawn]


def _given(kind: str, row: Mapping) -> dict:
    """What a reviewed reply's model was given by its own search or tools: per result its address, title and text, one
    text a result. Nothing where it is not told.
    """
    told = read(row["retrieved"]) if kind == REVIEW and row["retrieved"] is not None else []
    return {"retrieved": ["\n".join(part for part in one.values() if part) for one in told]} if told else {}


def texts_cited(evidence: Iterable[Sequence[str]], documents: pl.DataFrame | pl.LazyFrame) -> dict[str, str]:
    """The texts of the documents of which passages are named, by id; the others are not read."""
    named = {found[0] for names in evidence for name in names if (found := passage_of(name))}
    return dict(_of(named, documents).select("document_id", "text").collect().iter_rows())


def _beginnings(named: set[str], documents: pl.DataFrame | pl.LazyFrame) -> dict[str, str]:
    """Title and first characters of documents by id: what is shown to whoever checks an entity."""
    rows = _of(named, documents).select("document_id", "title", pl.col("text").str.head(BEGINNING)).collect()
    return {name: f"{title}\n{text}" for name, title, text in rows.iter_rows()}


def _of(named: set[str], documents: pl.DataFrame | pl.LazyFrame) -> pl.LazyFrame:
    return documents.lazy().filter(pl.col("document_id").is_in(sorted(named)))


def passages_of(evidence: Sequence[str], texts: Mapping[str, str]) -> list[str]:
    """The texts of passages by their names; of a document that is not known nothing."""
    named = (found for name in evidence if (found := passage_of(name)))
    return [texts[document][start:end] for document, start, end in named if document in texts]


def _fact_task(kind: str, row: dict, names: Mapping[str, str], texts: Mapping[str, str]) -> dict:
    return {
        "task_id": content_id("task", kind, row["fact_id"]),
        "kind": kind,
        "fact_id": row["fact_id"],
        "item_id": row["item_id"],
        "text": row["text"],
        "subject": row["subject"],
        "entity": names.get(row["item_id"]),
        "passages": passages_of(row["evidence"], texts),
        "verdict": "supported" if row["is_supported"] else "unsupported",
        "weight": row["weight"],
    }


def _entity_task(row: dict, weight: float, shown: Mapping[str, str]) -> dict:
    return {
        "task_id": content_id("task", ENTITY, row["item_id"]),
        "kind": ENTITY,
        "fact_id": None,
        "item_id": row["item_id"],
        "text": row["question"],
        "subject": None,
        "entity": row["question"],
        "passages": [shown[name] for name in row["document_ids"] if name in shown],
        "verdict": None,
        "weight": weight,
    }


# ---- whole replies -------------------------------------------------------------------------------------------------


def reply_tasks(
    replies: pl.DataFrame,
    facts: pl.DataFrame,
    items: pl.DataFrame,
    documents: pl.DataFrame | pl.LazyFrame,
    *,
    n_replies: int,
    seed: int,
) -> list[dict]:
    """Tasks of `n_replies` whole replies of each subject, in the form of `tasks.annotation_tasks` with the reply's
    `generation_id`: `text` holds its facts, one a line, `passages` those of all of them. The verdict, supported where
    each fact is, is not to be shown. `replies`: of `replies.readable_replies`.
    """
    draws = reply_draws(replies, facts, n_replies=n_replies, seed=seed)
    return drawn_reply_tasks(draws, items, documents)


def reply_draws(replies: pl.DataFrame, facts: pl.DataFrame, *, n_replies: int, seed: int) -> Drawn:
    """The replies that may be drawn: `generation_id`, `subject`, `entity`, `strict`, and of their facts the `text` and
    all `evidence`, as lists. Of slices see `strata.joined`.
    """
    own = replies.filter("is_responding").drop_nulls("strict")
    slim = own.select("generation_id", "subject", "entity", "strict")
    rows, sizes = drawn(slim, OF_REPLIES, "generation_id", n=n_replies, at=(seed, REPLY))
    is_drawn = pl.col("generation_id").is_in(rows["generation_id"].implode())
    told = facts.filter(is_drawn).sort("sentence_index", "fact_id")
    by_reply = told.group_by("generation_id", maintain_order=True).agg("text", pl.col("evidence").explode())
    return Drawn(rows.join(by_reply, on="generation_id", how="left", maintain_order="left"), sizes)


def drawn_reply_tasks(
    draws: Drawn, items: pl.DataFrame, documents: pl.DataFrame | pl.LazyFrame
) -> list[dict]:
    """`reply_tasks` from the replies that are drawn (`reply_draws`)."""
    names = dict(items.select("item_id", "question").iter_rows())
    n_of = dict(draws.sizes.iter_rows())
    made = []
    for (subject,), part in draws.rows.sort("subject", DRAW).group_by("subject", maintain_order=True):
        texts = texts_cited(part["evidence"].to_list(), documents)
        for row in part.iter_rows(named=True):
            made.append(
                {
                    "task_id": content_id("task", REPLY, row["generation_id"]),
                    "kind": REPLY,
                    "fact_id": None,
                    "generation_id": row["generation_id"],
                    "item_id": row["entity"],
                    "text": "\n".join(row["text"]),
                    "subject": subject,
                    "entity": names.get(row["entity"]),
                    "passages": passages_of(list(dict.fromkeys(row["evidence"])), texts),
                    "verdict": "supported" if row["strict"] else "unsupported",
                    "weight": n_of[str(subject)] / part.height,
                }
            )
    return made
