"""HaluEval 2.0 (Li et al. 2024): facts of ChatGPT's replies in five domains, labelled by people and judged by
ChatGPT.

Two folders hold a JSON list per domain, joined by `id`: `human_annotation` (`human_judge`, true or false for
each fact) and `model_prediction` (`chatgpt_judge`: `true`, `unknown`, or `false, [corrected fact]: …`). Read
by the documented layout; not tried on the original files.
"""

from functools import partial
from pathlib import Path

from truerate.core.schemas import pairs
from truerate.core.text import clean
from truerate.sources.clone import matching, public_set
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import json_list
from truerate.sources.rows import BadRow, Reason, Row

PEOPLE, MODEL = "annotation/human_annotation", "annotation/model_prediction"
GENERATOR = JUDGE = "chatgpt"
DECIDED = f"{JUDGE}, unknown as false"  # the same judge, whose undecided verdicts count against the fact
TRUTHS = {"true": True, "false": False}
UNKNOWN = "unknown"
SET = public_set("halueval2")

Verdicts = dict[tuple[str, str], Row]  # the judge's row of a reply, by domain and id


@reads("halueval2")
def read(collection: Collection) -> None:
    """Read replies as samples of task `entity`, their facts as samples of task `fact`, hallucinated where
    people call them false, and the judge's verdicts as judgements.

    Replies without people's labels are rejects (`unlabelled`). The judge stands twice: with `unknown` as
    null, and as false. A reply without the judge's row keeps people's labels.
    """
    files, verdicts = matching(collection.folder, f"{PEOPLE}/*.json"), Verdicts()
    collection.refuse_none(files, "none of HaluEval 2.0's files", f"{PEOPLE}/*.json")
    for file in matching(collection.folder, f"{MODEL}/*.json"):
        collection.read(file, json_list, partial(_book, collection, verdicts, Path(file).stem))
    for file in files:
        collection.read(file, json_list, partial(_keep, collection, verdicts, Path(file).stem))


def _book(collection: Collection, verdicts: Verdicts, domain: str, row: Row) -> None:
    """Note the judge's row of a reply; its lists must fit."""
    identity = clean(str(row.get("id")))
    _words(row, "chatgpt_judge", row.texts("chatgpt_fact"), (*TRUTHS, UNKNOWN))
    collection.once("the judge's reply", domain, identity, row=row)
    verdicts[domain, identity] = row


def _keep(collection: Collection, verdicts: Verdicts, domain: str, row: Row) -> None:
    identity, query, reply = clean(str(row.get("id"))), row.text("user_query"), row.text("chatgpt_response")
    facts = row.texts("chatgpt_fact")
    if facts and not row.items("human_judge"):
        raise BadRow(Reason.UNLABELLED, "field 'human_judge' is empty: people did not label this reply")
    truths = [TRUTHS[word] for word in _words(row, "human_judge", facts, tuple(TRUTHS))]
    judged = verdicts.get((domain, identity))
    if judged is not None and judged.texts("chatgpt_fact") != facts:
        raise BadRow(Reason.CONFLICT, f"the facts of reply {identity[:40]!r} are others in {MODEL}")
    collection.once("the reply", domain, identity, row=row)
    about = {"group": ("query", query), "domain": domain, "id": identity}
    item = collection.item("entity", question=query, is_shared=True, **about)
    pairs_of_all = zip(facts, truths, strict=True)
    labelled = [(fact, not is_true, {"label": str(is_true).lower()}) for fact, is_true in pairs_of_all]
    samples = collection.reply(item, reply, labelled, generator=GENERATOR)
    if judged is not None:
        words = _words(judged, "chatgpt_judge", facts, (*TRUTHS, UNKNOWN))
        for sample, word, is_true in zip(samples, words, truths, strict=True):
            _judge(collection, sample["sample_id"], word, is_true=is_true)


def _judge(collection: Collection, target_id: str, word: str, *, is_true: bool) -> None:
    """What the judge says of a fact, as it is and with `unknown` as false; counted beside people's label."""
    is_false = None if word == UNKNOWN else not TRUTHS[word]
    for judge, verdict in ((JUDGE, is_false), (DECIDED, is_false is not False)):
        reason = UNKNOWN if verdict is None else None
        collection.judgement(target_id, judge, verdict, reason=reason, attributes=pairs(word=word))
    collection.counts[f"n_people_{str(is_true).lower()}_judge_{word}"] += 1


def _words(row: Row, field: str, facts: list[str], allowed: tuple[str, ...]) -> list[str]:
    """The first word of each verdict, one a fact: `false, [corrected fact]: …` is `false`."""
    verdicts = (clean(str(value)).strip().lower() for value in row.items(field))
    words = [verdict.partition(",")[0].partition(" ")[0] for verdict in verdicts]
    if len(facts) != len(words):
        raise BadRow(Reason.CONTRADICTION, f"field {field!r} has {len(words)} entries for {len(facts)} facts")
    for word in words:
        if word not in allowed:
            problem = f"field {field!r} holds {word[:40]!r}; allowed: {', '.join(allowed)}"
            raise BadRow(Reason.UNKNOWN_LABEL, problem)
    return words
