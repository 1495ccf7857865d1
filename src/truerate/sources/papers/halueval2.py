"""HaluEval 2.0 (Li et al. 2024): ChatGPT's replies in five domains, cut into facts, labelled by people and judged by ChatGPT.

Two folders hold a JSON list per domain, joined by `id`: `human_annotation` (`human_judge`, true or false for each fact) and
`model_prediction` (`chatgpt_judge`: `true`, `unknown`, or `false, [corrected fact]: …`). Read by the layout that is documented;
this reader was not tried on the original files.
"""

from functools import partial
from pathlib import Path

from truerate.core.errors import SourceError
from truerate.core.schemas import pairs
from truerate.core.text import clean
from truerate.sources.cards import published_card
from truerate.sources.clone import PublicSet, matching
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import json_list
from truerate.sources.rows import BadRow, Reason, Row

PEOPLE, MODEL = "annotation/human_annotation", "annotation/model_prediction"
GENERATOR = JUDGE = "chatgpt"
DECIDED = f"{JUDGE}, unknown as false"  # the same judge, whose undecided verdicts count against the fact
TRUTHS = {"true": True, "false": False}
UNKNOWN = "unknown"
CARD = published_card("halueval2")
SET = PublicSet(
    repository="RUCAIBox/HaluEval-2.0",
    holds={"people's labels": (f"{PEOPLE}/*.json",), "the judge's verdicts": (f"{MODEL}/*.json",)},
    labelled_by="people (whether each fact is true), and ChatGPT as a judge beside them",
    unproven=("people's labels", "the judge's verdicts"),
)

Verdicts = dict[tuple[str, str], Row]  # the judge's row of a reply, by domain and id


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Replies as samples of task `entity`, each of their facts as a sample of task `fact`, hallucinated where people call it
    false; the judge's verdicts as judgements, null where it says `unknown`.

    Replies without people's labels are rejects (`unlabelled`). The judge stands twice: as it is, and with `unknown` read as
    false. A reply without the judge's row keeps people's labels.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    files = matching(folder, f"{PEOPLE}/*.json")
    if not files:
        raise SourceError(
            f"source {name!r}: none of HaluEval 2.0's files in {str(folder)!r}; looked for: {PEOPLE}/*.json"
        )
    verdicts: Verdicts = {}
    for file in matching(folder, f"{MODEL}/*.json"):
        collection.read(file, json_list, partial(_book, collection, verdicts, Path(file).stem))
    for file in files:
        collection.read(file, json_list, partial(_keep, collection, verdicts, Path(file).stem))
    return collection.tables()


def _identity(row: Row) -> str:
    return clean(str(row.get("id")))


def _book(collection: Collection, verdicts: Verdicts, domain: str, row: Row) -> None:
    """Note the judge's row of a reply; its lists must fit."""
    facts, verdict_words = (
        row.texts("chatgpt_fact"),
        [_first_word(word) for word in row.items("chatgpt_judge")],
    )
    _refuse_unequal(facts, verdict_words, "chatgpt_judge")
    for word in verdict_words:
        if word not in (*TRUTHS, UNKNOWN):
            raise BadRow(
                Reason.UNKNOWN_LABEL,
                f"field 'chatgpt_judge' holds {word[:40]!r}; allowed: true, false, unknown",
            )
    collection.once("the judge's reply", domain, _identity(row), row=row)
    verdicts[domain, _identity(row)] = row


def _keep(collection: Collection, verdicts: Verdicts, domain: str, row: Row) -> None:
    identity, query, reply = _identity(row), row.text("user_query"), row.text("chatgpt_response")
    facts, labels = row.texts("chatgpt_fact"), [_truth(label) for label in row.items("human_judge")]
    if facts and not labels:
        raise BadRow(Reason.UNLABELLED, "field 'human_judge' is empty: people did not label this reply")
    _refuse_unequal(facts, labels, "human_judge")
    judged = verdicts.get((domain, identity))
    if judged is not None and judged.texts("chatgpt_fact") != facts:
        raise BadRow(Reason.CONFLICT, f"the facts of reply {identity[:40]!r} are others in {MODEL}")
    collection.once("the reply", domain, identity, row=row)
    item = collection.item(
        "entity", group=("query", query), question=query, domain=domain, id=identity, is_shared=True
    )
    published = {"label_source": "published", "generator": GENERATOR}
    sample = collection.sample(item, reply, is_hallucinated=not all(labels), n_claims=len(facts), **published)
    verdict_words = judged.items("chatgpt_judge") if judged is not None else []
    for index, (fact, is_true) in enumerate(zip(facts, labels, strict=True)):
        about = {"generation": sample["sample_id"], "place": index, "label": str(is_true).lower()}
        fact_sample = collection.sample(
            item, fact, task="fact", is_hallucinated=not is_true, **published, **about
        )
        if verdict_words:
            _judge(collection, fact_sample["sample_id"], _first_word(verdict_words[index]), is_true=is_true)


def _judge(collection: Collection, target_id: str, word: str, *, is_true: bool) -> None:
    """What the judge says of a fact, as it is and with `unknown` as false; counted beside people's label."""
    is_false = None if word == UNKNOWN else not TRUTHS[word]
    for judge, verdict in ((JUDGE, is_false), (DECIDED, is_false is not False)):
        reason = UNKNOWN if verdict is None else None
        collection.judgement(target_id, judge, verdict, reason=reason, attributes=pairs(word=word))
    collection.counts[f"n_people_{str(is_true).lower()}_judge_{word}"] += 1


def _first_word(value: object) -> str:
    """The first word of a verdict, in small letters: `false, [corrected fact]: …` is `false`."""
    return clean(str(value)).strip().lower().partition(",")[0].partition(" ")[0]


def _truth(label: object) -> bool:
    word = _first_word(label)
    if word not in TRUTHS:
        raise BadRow(Reason.UNKNOWN_LABEL, f"field 'human_judge' holds {word[:40]!r}; allowed: true, false")
    return TRUTHS[word]


def _refuse_unequal(facts: list, values: list, field: str) -> None:
    if len(facts) != len(values):
        raise BadRow(
            Reason.CONTRADICTION, f"field {field!r} has {len(values)} entries for {len(facts)} facts"
        )
