"""Records of replies that are cut into facts: a reply, its sentences, facts, verdicts, and the evidence
quoted.

A record is one reply; the replies of all models about one entity stay together, so that they can be compared.
Its text is a list of `string` and `[string, sentence]`; a fact is `[sentence, text, verdict, marks, passages,
further opinions, label, review]` with verdicts `s`upported, `n`ot supported, `u`nparsed, `-` not asked.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from urllib.parse import urlsplit

import polars as pl

from truerate.core.schemas import pair, unpaired
from truerate.core.text import passage_of
from truerate.site.rights import quoted
from truerate.site.samples.index import AGREEMENT, Index, in_turn
from truerate.site.tables import Board, rows_by
from truerate.site.vocabulary import Vocabulary

SINGLE = "one by one"
PEOPLE = "human"  # the judge whose verdicts a source brought
ANNOTATION = "annotation"  # the stage of what one person says; their majority is the label


def records(board: Board, n_max: int) -> tuple[list[dict], dict]:
    """Return at most `n_max` records, whole entities, in turn from each domain, and their index."""
    replies, entities = _replies(board), _entities(board)
    names = _kept(board, replies, entities, n_max)
    rows = rows_by(replies, "generation_id", names)
    kept = [rows[name] for name in names]
    facts = _facts_of(board, names).sort("sentence_index", maintain_order=True)
    opinions = _opinions(board, facts)
    cited = {passage[0] for name in facts["evidence"].explode().drop_nulls() if (passage := passage_of(name))}
    documents = rows_by(board.documents, "document_id", cited)
    failed = board.generations.filter(
        pl.col("purpose") == "write_facts", pl.col("status") != "ok", pair("attributes", "reasked").is_null()
    )
    unwritten = set(failed.select(pair("attributes", "generation")).to_series())
    by_reply: dict[str, list[dict]] = defaultdict(list)
    for row in facts.iter_rows(named=True):
        by_reply[row["generation_id"]].append(row | opinions[row["fact_id"]])
    verifier = verifier_of(board)
    entries = []
    for row in kept:
        name, entity = row["generation_id"], entities[row["item_id"]]
        entry = _record(row, entity, by_reply[name], documents, verifier, is_open=board.is_simulated)
        state = dict.fromkeys(("status", "_reply"), "not-written") if name in unwritten else {}
        entries.append(entry | state)
    index = Index("facts")
    index.add(entries)
    domains = {
        name: board.vocabulary.value("domain", name)
        for name in sorted({entry["domain"] for entry in entries})
    }
    leader = verifier if verifier in index.judges else ""
    return entries, index.as_dict(
        board.vocabulary, n_all=replies.height, types=[], leader=leader, domains=domains
    )


def targets(board: Board, n_max: int) -> set[str]:
    """Return the ids under which facts of `records` may be judged: theirs and their labelled copies'."""
    names = _kept(board, _replies(board), _entities(board), n_max)
    facts = _facts_of(board, names, "fact_id")["fact_id"]
    return {*facts, *_labelled(board).filter(pl.col("fact").is_in(facts.implode()))["sample_id"]}


def _replies(board: Board) -> pl.DataFrame:
    """The replies that there are, of one model after the other."""
    replies = board.generations.filter(pl.col("purpose") == "generate", pl.col("text") != "")
    return replies.sort("model", "sample_index", "generation_id")


def _entities(board: Board) -> dict[str, dict]:
    """The entities that were asked about, by id."""
    asked = board.items.filter(pl.col("task") == "entity").to_dicts()
    return {item["item_id"]: item | unpaired(item["attributes"]) for item in asked}


def _kept(board: Board, replies: pl.DataFrame, entities: dict[str, dict], n_max: int) -> list[str]:
    """The ids of the replies that are shown."""
    named = replies.filter(pl.col("item_id").is_in(list(entities))).select("generation_id", "item_id")
    return [row["generation_id"] for row in chosen(named.to_dicts(), entities, n_max, board.vocabulary)]


def _facts_of(board: Board, replies: list[str], *columns: str) -> pl.DataFrame:
    """The facts of some replies; no other one is read into memory."""
    facts = board.facts.lazy().filter(pl.col("generation_id").is_in(replies))
    return facts.select(columns or pl.all()).collect()


def _labelled(board: Board) -> pl.DataFrame:
    """The labelled copies of facts, with the `fact` that each is of."""
    return board.samples.filter(pl.col("task") == "fact").with_columns(pair("attributes", "fact"))


def verifier_of(board: Board) -> str:
    """Return whose verdicts count: the verifier's, or the source's people's; empty without any."""
    is_human = PEOPLE in board.judgements["judge"]
    return PEOPLE if is_human else board.roles.get("verifier", "")


def chosen(replies: list[dict], entities: dict[str, dict], n_max: int, vocabulary: Vocabulary) -> list[dict]:
    """Return replies about whole entities, up to `n_max`, in turn from each domain by their ids."""
    about: dict[str, list[dict]] = defaultdict(list)
    for row in replies:
        about[row["item_id"]].append(row)
    strata: dict[str, list[str]] = defaultdict(list)
    for item in sorted(about):
        strata[entities[item].get("domain", "")].append(item)
    kept: list[str] = []
    n = 0
    for item in in_turn(strata):
        if n + len(about[item]) <= n_max:
            kept.append(item)
            n += len(about[item])
    domains = {item: vocabulary.sort_key(entities[item].get("domain", "")) for item in kept}
    kept.sort(key=lambda item: (domains[item], entities[item]["question"].casefold(), item))
    return [row for item in kept for row in about[item]]


def _opinions(board: Board, facts: pl.DataFrame) -> dict[str, dict]:
    """Per fact the verdict letter of each judge (`verdicts`) and what people say.

    Of people: `label`, by majority, and `review`, the kinds of error that they name; null where they were not
    asked. The verifier's verdict on a fact alone is that of another judge. Detectors judge the labelled copy
    of a fact, a sample.
    """
    fact_of = {name: name for name in facts["fact_id"]}
    opinions: dict[str, dict] = {name: {"verdicts": {}, "label": None, "review": None} for name in fact_of}
    for row in _labelled(board).filter(pl.col("fact").is_in(list(fact_of))).iter_rows(named=True):
        fact_of[row["sample_id"]] = row["fact"]
        opinions[row["fact"]]["label"] = "n" if row["is_hallucinated"] else "s"
    judgements = board.judgements.filter(pl.col("target_id").is_in(list(fact_of))).with_columns(
        *(pair("attributes", key) for key in ("stage", "kind")), noted=pair("attributes", "label")
    )
    reviews = judgements.filter(pl.col("stage") == ANNOTATION, pl.col("kind") == "review")
    for row in reviews.sort("noted").iter_rows(named=True):
        opinion = opinions[fact_of[row["target_id"]]]
        words, before = board.vocabulary.value("kind", row["noted"]).lower(), opinion["review"]
        opinion["review"] = words if before in (None, words) else f"{before} or {words}"
    judgements = judgements.filter(pl.col("stage").ne_missing(ANNOTATION))
    for row in judgements.sort("judge", "stage", "judgement_id", nulls_last=True).iter_rows(named=True):
        how = SINGLE if row["stage"] == "single" else row["stage"]
        judge = f"{row['judge']} · {how}" if how else row["judge"]
        opinions[fact_of[row["target_id"]]]["verdicts"].setdefault(judge, _letter(row["verdict"]))
    return opinions


def _letter(is_unsupported: bool | None) -> str:
    return "u" if is_unsupported is None else "n" if is_unsupported else "s"


def cut(text: str, sentences: Iterable[tuple[int, str]]) -> list:
    """Return a reply cut at its sentences, `[string, sentence]` or string; unlocated ones are left out."""
    parts, end = [], 0
    for index, sentence in sorted(set(sentences)):
        start = text.find(sentence, end) if sentence else -1
        if start < 0:
            continue
        parts += [text[end:start]] * (start > end) + [[sentence, index]]
        end = start + len(sentence)
    return parts + [text[end:]] * (end < len(text))


def passages(
    references: Iterable[str], documents: dict[str, dict], *, is_open: bool
) -> tuple[list[list], list[list], dict[str, int]]:
    """The pages and passages that references (`text.passage_name`) name, and the number of each reference's
    passage.

    A page is `[title, address, host, whether of Wikipedia]`, the address empty unless it is of the web; a
    passage `[page, text, whether it was cut]`. `is_open`: all may be shown whole; else as far as the page's
    licence allows. A reference to nothing is left out.
    """
    pages: dict[str, list] = {}
    shown: list[list] = []
    numbers: dict[str, int] = {}
    for reference in dict.fromkeys(references):
        name, start, end = passage_of(reference) or ("", 0, 0)
        document = documents.get(name)
        text = document["text"][start:end].strip() if document else ""
        if not text:
            continue
        address, host = web_address(document["url"])
        pages.setdefault(name, [document["title"], address, host, document["is_wikipedia"]])
        numbers[reference] = len(shown)
        part = (text, False) if is_open else quoted(text, document["licence"])
        shown.append([list(pages).index(name), *part])
    return list(pages.values()), shown, numbers


def web_address(url: str | None) -> tuple[str, str]:
    """An address of the web and its host; both empty for every other scheme, and for what is no address."""
    try:
        parts = urlsplit(url or "")
        host = parts.hostname or ""
    except ValueError:
        return "", ""
    is_clean = url is not None and not re.search(r"[\x00-\x20\x7f<>\"'\\`]", url)
    return (url or "", host) if parts.scheme in ("http", "https") and host and is_clean else ("", "")


def _record(
    row: dict, entity: dict, facts: list[dict], documents: dict[str, dict], verifier: str, *, is_open: bool
) -> dict:
    """One record as the page shows it; names with `_` stay in the index."""
    evidence = (name for fact in facts for name in fact["evidence"])
    pages, shown, numbers = passages(evidence, documents, is_open=is_open)
    lines = [_fact(fact, numbers, verifier) for fact in facts]
    name, is_wikipedia = entity.get("name") or entity["question"], entity.get("is_wikipedia", "")
    return {
        "id": row["generation_id"],
        "name": name,
        "lang": entity["lang"],
        "by": row["model"],
        "domain": entity.get("domain", ""),
        "rarity": entity.get("rarity_group", ""),
        "wikipedia": {"true": "yes", "false": "no"}.get(is_wikipedia, is_wikipedia),
        "status": row["status"],
        "text": cut(row["text"], ((fact["sentence_index"], fact["sentence"]) for fact in facts)),
        "facts": lines,
        "pages": pages,
        "passages": shown,
        "_search": [
            *(row["generation_id"], name, row["text"]),
            *(line[1] for line in lines),
            *(text for _, text, _ in shown),
        ],
        "_reply": "abstained" if row["status"] == "abstained" else _kind([line[2] for line in lines]),
        "_verdicts": sorted({name for line in lines for name in _names(line)}),
        "_outcome": {
            judge: letter
            for judge in sorted({judge for fact in facts for judge in fact["verdicts"]})
            if (letter := compare((fact["verdicts"].get(judge), fact["label"]) for fact in facts)) != "-"
        },
    }


def _fact(fact: dict, numbers: dict[str, int], verifier: str) -> list:
    marks = [name for name in ("duplicate", "title") if fact[f"is_{name}"]]
    evidence = [numbers[name] for name in fact["evidence"] if name in numbers]
    others = [[judge, letter] for judge, letter in sorted(fact["verdicts"].items()) if judge != verifier]
    verdict = fact["verdicts"].get(verifier, "-")
    line = [fact["sentence_index"], fact["text"], verdict, marks, evidence, others]
    return [*line, fact["label"], fact["review"]]


def _kind(verdicts: list[str]) -> str:
    """Return what a reply is: without a fact, all supported, with unsupported ones, or not wholly read."""
    if not verdicts:
        return "no-fact"
    if "n" in verdicts:
        return "some-unsupported"
    return "all-supported" if set(verdicts) == {"s"} else "not-read"


def _names(line: list) -> list[str]:
    """The values of a fact in the filter of facts."""
    _, _, verdict, marks, _, _, label, review = line
    people = ["labelled"] * bool(label) + ["reviewed"] * bool(review)
    names = {"s": "supported", "n": "unsupported", "u": "unparsed"}
    return [names.get(verdict, "not-asked"), *marks, *people]


def compare(verdicts_and_labels: Iterable[tuple[str | None, str | None]]) -> str:
    """Return a judge's letter on labelled facts: a(grees), m(isses), x (rejects wrongly), b(oth), -."""
    pairs = {(verdict, label) for verdict, label in verdicts_and_labels if label and verdict in ("s", "n")}
    return AGREEMENT[("s", "n") in pairs, ("n", "s") in pairs] if pairs else "-"
