"""Flat tables: RAGAS data sets and results, TruLens records, UQLM results."""

import re
from typing import Any

from truerate.sources.answers.exports.contents import Content
from truerate.sources.answers.exports.records import Export, export_of, label_of, record_of
from truerate.sources.answers.exports.values import decoded, message_of, passages_of, score_of

_RAGAS = ({"user_input", "response"}, {"retrieved_contexts", "reference", "reference_contexts", "rubrics"})
_RAGAS_OLD = (
    {"question", "answer", "contexts"},
    {"ground_truth", "ground_truths", "faithfulness", "answer_relevancy"},
)
_RAGAS_FIELDS = {
    "user_input",
    "response",
    "retrieved_contexts",
    "reference",
    "reference_contexts",
    "rubrics",
    "question",
}
_RAGAS_FIELDS |= {
    "answer",
    "contexts",
    "ground_truth",
    "ground_truths",
    "multi_responses",
    "retrieved_context_ids",
}
_RAGAS_FIELDS |= {
    "reference_context_ids",
    "reference_tool_calls",
    "persona_name",
    "query_style",
    "query_length",
}
_HUMAN = re.compile(r"^human\b", re.IGNORECASE)
_TRULENS = (
    "app_id app_name app_version app_json type record_id conversation_id input output tags record_json cost_json "
    "perf_json ts latency total_tokens total_cost num_events cost_currency"
).split()
_ONLY_UQLM = {"semantic_negentropy", "semantic_sets_confidence", "noncontradiction", "normalized_probability"}
_UQLM = re.compile(
    r"(?:semantic_negentropy|semantic_entropy|noncontradiction|entailment|exact_match|cosine_sim\w*|cosine_score|bert_score|"
    r"bleurt|semantic_sets_confidence|ensemble_score|judge_\d+|average|min|max|median|\w+_probability|p_true|confidence_score|"
    r"\w*_score)s?"
)


def of_ragas(content: Content) -> Export | None:
    """The answers of RAGAS; `reference` is a golden answer there. Other columns of numbers are metrics."""
    needed, some = _RAGAS if "user_input" in content.names else _RAGAS_OLD
    if not needed <= content.names or not some & content.names and not {"faithfulness"} & content.names:
        return None
    records = []
    for row in content.rows:
        rest = {name: value for name, value in row.items() if name and name not in _RAGAS_FIELDS}
        metrics = {name: value for name, value in rest.items() if _is_metric(content, name)}
        question = decoded(row.get("user_input") or row.get("question"))
        golden = row.get("reference") or row.get("ground_truth") or row.get("ground_truths")
        records.append(
            record_of(
                message_of(decoded(row.get("response") or row.get("answer")), "ai", "assistant"),
                {name: value for name, value in rest.items() if name not in metrics},
                scores=metrics,
                question=message_of(question, "human", "user"),
                reference=row.get("retrieved_contexts") or row.get("contexts"),
                golden="; ".join(passages_of(golden) or []),
            )
        )
    return export_of(
        "RAGAS",
        records,
        ["reference is a golden answer, no evidence"] if "reference" in content.names else [],
    )


def _is_metric(content: Content, name: str) -> bool:
    """Return whether a column that RAGAS does not name holds numbers, and no label of a person."""
    if record_of("", {name: 1})["labels"] or record_of("", {name: 1})["unsure"]:
        return False
    values: list[Any] = [row[name] for row in content.rows if row.get(name) is not None]
    if record_of("", {name: "x"})["id"] or not values:
        return False
    is_text = all(isinstance(value, str) for value in values)
    numbers = [score_of(value)[0] for value in values if not is_text or "." in value or value in "01"]
    return bool(numbers) and len(numbers) == len(values) and all(number is not None for number in numbers)


def of_trulens(content: Content) -> Export | None:
    """The records of TruLens: `X` beside `X_calls` is a feedback, `Human: X` the mean of people's, of which
    an even vote is none.
    """
    if (
        not {"record_id", "input", "output"} <= content.names
        or not {"app_id", "app_name", "app_version"} & content.names
    ):
        return None
    columns = list(content.rows[0])
    feedbacks = [name.removesuffix("_calls") for name in columns if name.endswith("_calls")] or [
        name for name in columns if name not in _TRULENS and not name.endswith((" cost in USD", "_json"))
    ]
    people = [name for name in feedbacks if _HUMAN.match(name)]
    apps = {row.get("app_name") for row in content.rows}
    records = []
    n_even = 0
    for row in content.rows:
        labels = {}
        for name in people:
            label, is_sure = label_of(
                name, row.get(name)
            )  # of a name that says nothing, high is good: TruLens' rule
            if row.get(name) is not None:
                labels[name] = label if is_sure or label is None else not label
        n_even += sum(score_of(row.get(name))[0] == 0.5 for name in people)
        version = row.get("app_version") or row.get("app_id")
        records.append(
            record_of(
                row.get("output"),
                {},
                scores={name: row.get(name) for name in feedbacks if name not in people},
                labels=labels,
                question=row.get("input"),
                system=version if len(apps) < 2 else f"{row.get('app_name')} {version}",
                id=row["record_id"],
            )
        )
    notes = (
        [
            f"{', '.join(people)}: the mean of people's labels, how many it does not say; high means faithful, if no name says otherwise"
        ]
        if people
        else []
    )
    if n_even:
        notes.append(f"of these even votes, no label: {n_even}")
    return export_of("TruLens", records, notes)


def _singular(name: str) -> str:
    return name if _UQLM.fullmatch(name) else name.removesuffix("s")


def of_uqlm(content: Content) -> Export | None:
    """The results of UQLM, a table or an object of columns: its scores say how sure a model is of its
    answer, a low one that it is doubtful.
    """
    document = content.document or {}
    data = document.get("data")
    columns: dict[str, Any] = data if isinstance(data, dict) else document
    is_object = isinstance(columns.get("responses"), list)
    names = {_singular(name) for name in (columns if is_object else content.names)}
    is_panel = {"judge_1", "avg", "median"} <= names
    if "response" not in names or not (is_panel or ({"sampled_response", "logprob"} | _ONLY_UQLM) & names):
        return None
    if is_object:
        n = len(columns["responses"])
        whole = {
            name: value for name, value in columns.items() if isinstance(value, list) and len(value) == n
        }
        rows = [dict(zip(whole, values, strict=True)) for values in zip(*whole.values(), strict=True)]
    else:
        rows = content.rows
    rows = [{_singular(name): value for name, value in row.items()} for row in rows]
    scorers = [name for name in dict.fromkeys(name for row in rows for name in row) if _UQLM.fullmatch(name)]
    scorers = [
        name for name in scorers if not is_panel or name.startswith("judge_")
    ]  # the others are of them
    values = {name: {score_of(row.get(name))[0] for row in rows} for name in scorers}
    mute = [
        name for name in scorers if len(rows) > 3 and len(values[name]) == 1 and not values[name] & {0.0, 1.0}
    ]
    plain_names = {
        "prompt",
        "response",
        "sampled_response",
        "context",
        "logprob",
        "multiple_logprob",
        *(("avg", "max", "min", "median") if is_panel else ()),
        *scorers,
    }
    records = [
        record_of(
            row.get("response"),
            {name: value for name, value in row.items() if name not in plain_names},
            scores={name: row.get(name) for name in scorers if name not in mute},
            question=message_of(decoded(row.get("prompt")), "user"),
            reference=row.get("context"),
        )
        for row in rows
    ]
    notes = ["scores are the model's confidence: a low one is taken as hallucinated"]
    if mute:
        notes.append(f"scores that are the same for all, left out: {', '.join(mute)}")
    return export_of("UQLM", records, notes, good=dict.fromkeys(scorers, True), takes_all=True)
