"""HalluDial's scores held against scikit-learn, sacrebleu and rouge-score on the rows that `halludial.py` made."""

from pathlib import Path

import polars as pl
from halludial_rows import JUDGES, TEST

EQUAL = 1e-12
ROUNDED = 6e-7  # saved scores have six digits


def check(folder: Path) -> int:
    """Hold the scores against other packages on the same rows; the number of values compared."""
    samples = pl.read_parquet(folder / "samples.parquet").filter(split=TEST)
    scores = pl.read_parquet(folder / "scores.parquet")
    held = 0
    for judge in JUDGES:
        told = pl.read_parquet(folder / f"{judge}-verdicts.parquet").rename({"target": "sample_id"})
        rows = told.join(samples, on="sample_id").sort("sample_id")
        is_natural = pl.col("sample_id").str.starts_with("responder")
        parts = {"spontaneous": rows.filter(is_natural), "induced": rows.filter(~is_natural), "all": rows}
        for scenario, part in parts.items():
            found = values_of(scores, judge, scenario=scenario, variant="zero-shot")
            for name, value in by_sklearn(part).items():
                assert abs(found[name] - value) <= ROUNDED, (judge, scenario, name, found[name], value)
                held += 1
        held += check_location(folder, judge, samples, scores)
    return held


def values_of(scores: pl.DataFrame, judge: str, **where: str) -> dict[str, float]:
    """Values by metric of one judge and exactly this slice."""
    return {
        row["metric"]: row["value"]
        for row in scores.filter(subject=judge).iter_rows(named=True)
        if {pair["key"]: pair["value"] for pair in row["slice"]} == where
    }


def by_sklearn(rows: pl.DataFrame) -> dict[str, float]:
    """Metrics of verdicts as scikit-learn gives them; one that was not read is a label of its own."""
    from sklearn.metrics import accuracy_score, balanced_accuracy_score, precision_recall_fscore_support

    label = rows["is_hallucinated"].cast(pl.Int8).to_numpy()
    said = rows["verdict"].cast(pl.Int8).fill_null(2).to_numpy()
    read = said < 2
    precision, recall, f1, _ = precision_recall_fscore_support(label, said, labels=[1, 0], zero_division=0)
    return {
        "accuracy": accuracy_score(label, said),
        "accuracy_parsed": accuracy_score(label[read], said[read]),
        "balanced_accuracy": balanced_accuracy_score(label, said),
        "macro_f1": float(f1.mean()),
    } | {
        f"{name}{end}": float(each[place])
        for name, each in (("precision", precision), ("recall", recall), ("f1", f1))
        for place, end in enumerate(("", "_right"))
    }


def check_location(folder: Path, judge: str, samples: pl.DataFrame, scores: pl.DataFrame) -> int:
    """ROUGE-L, BLEU and chrF of one judge's located judgements against rouge-score and sacrebleu."""
    from sacrebleu.metrics import BLEU

    from truerate.metrics.text_overlap import bleu, bleu_sums, rouge_l
    from truerate.tracks.halludial.location_scores import in_words

    rows = pl.read_parquet(folder / f"{judge}-located.parquet").rename(
        {"target": "sample_id", "rationale": "said"}
    )
    rows = rows.join(samples, on="sample_id")
    targets = [in_words(*row) for row in rows.select("is_hallucinated", "rationale").rows()]
    pairs = list(zip(targets, (in_words(*row) for row in rows.select("verdict", "said").rows()), strict=True))
    ours, theirs = rouge_l(pairs), rouge_by_others(pairs)
    gap = max(abs(one - other) for one, other in zip(ours, theirs, strict=True))
    corpus = BLEU().corpus_score([text for _, text in pairs], [[target for target, _ in pairs]]).score / 100
    assert gap <= EQUAL and abs(float(bleu(bleu_sums(pairs).sum(axis=0))) - corpus) <= EQUAL, (judge, gap)
    found = values_of(scores, judge, scenario="all", variant="three-shot", over="all")
    assert (
        abs(found["rouge_l"] - sum(theirs) / len(theirs)) <= ROUNDED
        and abs(found["bleu"] - corpus) <= ROUNDED
    )
    measured = values_of(scores, judge, scenario="all", variant="three-shot", over="all", measure="chrf")
    assert abs(measured["rationale_similarity"] - chrf_by_sacrebleu(pairs)) <= ROUNDED
    return len(pairs) + 4


def rouge_by_others(pairs: list[tuple[str, str]]) -> list[float]:
    """ROUGE-L of each pair by rouge-score."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"], use_stemmer=False)
    return [scorer.score(*pair)["rougeL"].fmeasure for pair in pairs]


def chrf_by_sacrebleu(pairs: list[tuple[str, str]]) -> float:
    """Mean chrF of both directions; two equal texts are 1."""
    from sacrebleu.metrics import CHRF

    peer = CHRF()
    value_of: dict[tuple[str, str], float] = {}
    for a, b in dict.fromkeys(pairs):
        both = (peer.sentence_score(a, [b]).score + peer.sentence_score(b, [a]).score) / 200
        value_of[a, b] = 1.0 if a == b else both
    return sum(value_of[pair] for pair in pairs) / len(pairs)
