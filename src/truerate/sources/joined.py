"""Tables of several formats or folders as those of one source, and the silver texts of another folder to train on."""

import polars as pl

from truerate.core import keys
from truerate.sources.cards import REDISTRIBUTION
from truerate.sources.collection import SourceTables

TRAIN = "train"  # the task of texts to learn from (`training` of a source in params.yaml)
BETWEEN = "; "  # two sources' facts, in one card


def join(parts: list[SourceTables]) -> SourceTables:
    """Concatenate the tables of all parts; a row of equal id is kept once, all rejects stay."""
    whole = {
        table: pl.concat([part.tables[table].lazy() for part in parts]).collect() for table in parts[0].tables
    }
    tables = {table: _once(data) for table, data in whole.items()}
    return SourceTables(
        **tables, card=joined_card([part.card for part in parts]), own_rights=parts[0].own_rights
    )


def _once(data: pl.DataFrame) -> pl.DataFrame:
    identity = data.columns[0]
    return data.unique(identity, keep="first", maintain_order=True) if identity.endswith("_id") else data


def joined_card(cards: list[dict]) -> dict:
    """One card of many: names joined, the strictest redistribution, counts added, caveats of all."""
    joined = {
        field: BETWEEN.join(dict.fromkeys(card[field] for card in cards if card[field])) or None
        for field in ("name", "citation", "licence", "url")
    }
    counts: dict[str, int] = {}
    for card in cards:
        for what, count in card["counts"].items():
            counts[what] = counts.get(what, 0) + count
    caveats = [caveat for card in cards for caveat in card.get("caveats") or filter(None, [card.get("note")])]
    return {
        **joined,
        **({"caveats": list(dict.fromkeys(caveats))} if caveats else {}),
        "redistribution": min((card["redistribution"] for card in cards), key=REDISTRIBUTION.index),
        "lang": cards[0]["lang"],
        "files": [file for card in cards for file in card["files"]],
        "counts": dict(sorted(counts.items())),
    }


# ---- texts to learn from -------------------------------------------------------------------------------------
def with_training(source: SourceTables, other: SourceTables) -> SourceTables:
    """A source with the silver texts of another as task `train`: samples, their items, and their documents.

    Nothing is learned from split `test`, nor from a text whose group has gold labels here or there: whichever
    board learns from a folder learns the same. Texts that are the source's own (it may be its own training
    folder) move over, the rest stay to be judged.
    """
    silver = other.samples.filter(
        pl.col("task") == "silver", pl.col("label_source") == "silver", pl.col("split") == "train"
    )
    gold = pl.concat([source.samples, other.samples]).filter(pl.col("label_source") == "gold")
    taken = silver.filter(~pl.col("group_id").is_in(gold["group_id"].implode()))
    moved = taken["sample_id"].implode()
    items = other.items.join(
        taken.select("item_id").unique(maintain_order=True), on="item_id", how="semi", maintain_order="left"
    )
    needed = items.select(pl.col("document_ids").explode()).unique(maintain_order=True)
    documents = other.documents.lazy().join(
        needed.lazy(), left_on="document_id", right_on="document_ids", how="semi", maintain_order="left"
    )
    return SourceTables(
        documents=pl.concat([source.documents.lazy(), documents.lazy()])
        .unique("document_id", keep="first", maintain_order=True)
        .collect(),
        items=pl.concat([source.items, _renamed(items, "item_id")]),
        samples=pl.concat(
            [
                source.samples.filter(~pl.col("sample_id").is_in(moved)),
                _renamed(taken, "sample_id", "item_id"),
            ]
        ),
        judgements=source.judgements,
        rejects=source.rejects,
        card=_card(source.card, other.card, n_train=taken.height),
    )


def _renamed(data: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Rows under task `train`, with ids of their own."""
    new = [
        pl.col(name).map_elements(lambda old: keys.content_id(TRAIN, old), return_dtype=pl.String)
        for name in columns
    ]
    return data.with_columns(*new, task=pl.lit(TRAIN))


def _card(card: dict, other: dict, *, n_train: int) -> dict:
    """The rights and files of both (`own_redistribution`, `own_licence`: the source's alone), and counts."""
    files = {file["sha256"]: file for file in (*card["files"], *other["files"])}
    return {
        **joined_card([card, other]),
        "own_redistribution": card["redistribution"],
        "own_licence": card["licence"],
        "lang": card["lang"],
        "files": list(files.values()),
        "counts": card["counts"] | {"n_train": n_train},
    }
