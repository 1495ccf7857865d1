"""The sample browser's data: records per board, cut into segments, as scripts that a page loads from disk.

`samples/<board>/index.js` calls `truerateIndex(board, index)` with one code (or a list of codes) per record
and filter, and what the filters are called; `ids.js` names the records; `<k>.js` calls `truerateShard(board,
k, records)` and `words/<bucket>.js` `truerateWords(board, bucket, [lists])` (`word_index`). All values are
packed.
"""

from collections.abc import Iterable, Iterator

from truerate.site.registry import page_of
from truerate.site.rights import has_records, has_texts, in_parts, open_part
from truerate.site.samples import ids, labelled
from truerate.site.samples.packing import packed_json, packed_script
from truerate.site.samples.shards import SHARD, parts
from truerate.site.samples.word_index import DENSE, PART, buckets_of
from truerate.site.tables import Board, CommittedBoard, Tables

BROWSER = tuple(f"samples_{name}.js" for name in ("store", "search", "text", "cards", "filters", "keys"))
LAST = "samples.js"  # after the scripts of the records that it shows


def context(tables: Tables) -> dict:
    """Return what samples.md.j2 shows: the boards with records, those of results/ first, and those whose rights
    allow none.
    """
    boards = [part for board in tables.boards for part in in_parts(board)]
    shown = [board for board in boards if has_records(board)]
    of_forms = (name for board in shown for name in page_of(board.track).record_scripts)
    return {
        "shown": [
            *((board.name, board.card["title"]) for board in tables.real if board.texts is not None),
            *((board.name, board.title) for board in shown),
        ],
        "n_built": len(shown),
        "without": [board for board in tables.real if board.texts is None],
        "scripts": [*dict.fromkeys((*BROWSER, *of_forms, LAST))],
        "named": [board for board in shown if not has_texts(open_part(board))],
        "closed": [board for board in boards if has_texts(board) and not has_records(board)],
        "n_max": tables.max_samples,
    }


def scripts(tables: Tables, board: Board) -> Iterator[tuple[str, str]]:
    """Yield the data scripts of a board's parts, path and text; the index comes last, none without records."""
    for part in in_parts(board):
        yield from _of_build(tables, part)


def committed_scripts(board: CommittedBoard) -> Iterator[tuple[str, str]]:
    """Yield the data scripts of a board of results/, as `scripts`; none without texts."""
    records, index = board.records
    if records:
        yield from _scripts(board.name, records, {**index}, buckets_of(len(records)))


def _of_build(tables: Tables, board: Board) -> Iterator[tuple[str, str]]:
    if not has_records(board):
        return
    shown, make = open_part(board), page_of(board.track).records or labelled.records
    if not has_texts(shown):
        shown, make = board, ids.records
    records, index = make(shown, tables.max_samples)
    n_most = min(tables.max_samples, max(shown.samples.height, shown.generations.height))
    yield from _scripts(board.name, records, index, buckets_of(n_most))


def _scripts(board: str, records: Iterable[dict], index: dict, n_buckets: int) -> Iterator[tuple[str, str]]:
    """The scripts of records and their index, which is whole once these were read."""
    folder, k = f"samples/{board}", 0
    words: list[list[str]] = [[] for _ in range(n_buckets)]
    for shards, lists in parts(records, n_buckets):
        for shard in shards:
            yield f"{folder}/{k}.js", packed_script("truerateShard", board, k, data=shard)
            k += 1
        for of_bucket, packed in zip(words, lists, strict=True):
            of_bucket.append(packed)
    for bucket, of_bucket in enumerate(words):
        yield (
            f"{folder}/words/{bucket}.js",
            packed_script("truerateWords", board, bucket, data=of_bucket),
        )
    yield f"{folder}/ids.js", packed_script("truerateIds", board, data=packed_json(index.pop("ids")))
    index |= {"shard": SHARD, "part": PART, "buckets": n_buckets, "dense": DENSE}
    yield f"{folder}/index.js", packed_script("truerateIndex", board, data=packed_json(index))
