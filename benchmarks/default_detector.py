"""What a detector that needs no model finds in answers of public sets, and whether a learned one would find more.

    truerate real ../shared/data_original --work WORK
    python benchmarks/default_detector.py WORK [--write benchmarks/RESULTS.md]

Answers of five families of sets whose labels say of each text whether its reference backs it. The rules of
`truerate rate` have learned nothing. The trees (gradient boosting on `judges.word_grounds`, the features of words that
need no network) learned to mark words from the sets with spans, and a logistic regression on what they mark (the worst
word, the mean of the worst three, the mean) decides; a family is always left out of both, so that each figure is of
texts of another kind than those learned from. Families, and labels within one, weigh alike.

Sensitivity and specificity with intervals (Wilson 1927, clustered by dialogue, article or question); AUC of the share
of absent content words, and of the trees. `--write` puts the table between the markers of a file.
"""

import argparse
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from truerate.answers.rules import NUMBER_SUPPORT, RULES, WORD_SUPPORT
from truerate.config.layout import Layout
from truerate.core.schemas import Sample, load
from truerate.detectors.interface import Texts
from truerate.detectors.judges.word_grounds import marked_words, word_grounds
from truerate.detectors.lexical import absent_rate
from truerate.detectors.tokens.boosting import fit_trees, probabilities
from truerate.metrics.intervals import cluster_sums, wilson_clustered
from truerate.results.markers import write_between

FAMILIES = {
    "dialogues (BEGIN, FaithDial's audit)": ("begin", "faithdial-audit"),
    "claims (Factcheck-GPT)": ("factcheckgpt",),
    "summaries (FaithBench)": ("faithbench",),
    "QA candidates (HaluEval)": ("halueval-published",),
    "RAG answers (RAGTruth's test slice)": ("ragtruth",),
    "passages with spans (Mu-SHROOM, mFAVA)": ("mushroom", "mfava-published"),  # to learn from alone
}
WITH_SPANS = ("faithbench", "ragtruth", "mushroom", "mfava-published")
LEARNED_FROM = list(FAMILIES)[-1]
SHAPE = {
    "max_iter": 120,
    "learning_rate": 0.08,
    "max_leaf_nodes": 12,
    "min_samples_leaf": 100,
    "l2_regularization": 1.0,
}
HEADER = ("answers", "n", "hallucinated", "detector", "sensitivity", "specificity", "AUC")


class Answers(NamedTuple):
    """Answers of all sets: family, cluster, label, rules' verdicts (answers,); words (words, 46), their marks (words,),
    whether these tell (the set has spans), and words per answer.
    """

    family: np.ndarray
    cluster: list[str]
    label: np.ndarray
    verdicts: dict[str, np.ndarray]
    absent: np.ndarray
    words: np.ndarray
    marked: np.ndarray
    tells: np.ndarray
    sizes: np.ndarray


def read(work: Path) -> Answers:
    """The answers with a reference and a label, of the boards that a work folder holds."""
    os.chdir(work)
    from truerate.pipeline.evaluate import contexts

    config = Layout.load("params.yaml")
    rows, words, marks = [], [], []
    verdicts: dict[str, list[bool]] = {name: [] for name in RULES}
    absent = []
    for family, boards in FAMILIES.items():
        for board in boards:
            samples = load(Sample, config.dataset(board, "samples"))
            texts = Texts.of(samples, contexts(config, board, samples), with_labels=True)
            absent.append(
                absent_rate(texts)["absent_rate"][[bool(reference) for reference in texts.knowledge]]
            )
            columns = (
                texts.texts,
                texts.knowledge,
                texts.labels,
                samples["group_id"],
                samples["spans"].to_list(),
            )
            for text, reference, label, group, spans in zip(*columns, strict=True):
                if not reference:
                    continue
                units, numbers = word_grounds(text, reference, "", reference, {})
                numbers = numbers if len(numbers) else np.zeros((1, numbers.shape[1]))
                marks.append(marked_words(units, spans) if len(units.keys) else np.zeros(1, dtype=bool))
                words.append(numbers)
                rows.append((family, f"{board} {group}", label, board in WITH_SPANS, len(numbers)))
                for name, rule in RULES.items():
                    verdicts[name].append(rule.decide(text, rule.mark(text, reference)))
    family, cluster, label, tells, sizes = zip(*rows, strict=True)
    flags = {name: np.array(flagged) for name, flagged in verdicts.items()}
    arrays = np.concatenate(absent), np.concatenate(words), np.concatenate(marks)
    return Answers(
        np.array(family),
        list(cluster),
        np.array(label, dtype=bool),
        flags,
        *arrays,
        np.array(tells),
        np.array(sizes),
    )


def learned(answers: Answers, family: str) -> np.ndarray:
    """P(hallucinated) of all answers by trees and a regression that saw none of a family."""
    is_other = answers.family != family
    of_word = np.repeat(is_other & answers.tells, answers.sizes)
    p = probabilities(fit_trees(answers.words[of_word], answers.marked[of_word], 0, **SHAPE), answers.words)
    by_answer = [np.sort(part) for part in np.split(p, np.cumsum(answers.sizes)[:-1])]
    told = np.array([(part[-1], part[-3:].mean(), part.mean()) for part in by_answer])
    taught = is_other & (answers.family != LEARNED_FROM)
    weight = np.zeros(len(told))
    for name in set(answers.family[taught]):
        for label in (False, True):
            inside = taught & (answers.family == name) & (answers.label == label)
            weight[inside] = 1 / max(1, inside.sum())
    scaled = (told - told[taught].mean(axis=0)) / told[taught].std(axis=0)
    model = LogisticRegression(C=0.1).fit(
        scaled[taught], answers.label[taught], weight[taught] / weight[taught].mean()
    )
    return model.predict_proba(scaled)[:, 1]


def rows_of(answers: Answers) -> list[tuple[str, ...]]:
    """The table's rows: each family by each detector."""
    rows = []
    for family in list(FAMILIES)[:-1]:
        inside = answers.family == family
        p = learned(answers, family)
        detectors = {
            name: (answers.verdicts[name], answers.absent if name == WORD_SUPPORT else None)
            for name in (WORD_SUPPORT, NUMBER_SUPPORT)
        }
        detectors["trees, this family left out"] = (p > 0.5, p)
        for name, (flagged, score) in detectors.items():
            auc = "–" if score is None else f"{roc_auc_score(answers.label[inside], score[inside]):.2f}"
            found, spared = (
                share(answers, inside & (answers.label == label), flagged == label) for label in (True, False)
            )
            of = (family, f"{inside.sum():,}", f"{answers.label[inside].mean():.2f}")
            rows.append((*of, name, found, spared, auc))
    return rows


def share(answers: Answers, inside: np.ndarray, is_right: np.ndarray) -> str:
    """Of answers the share that is right, with its interval."""
    clusters = [answers.cluster[place] for place in np.flatnonzero(inside)]
    sums = cluster_sums(clusters, np.stack([is_right[inside], np.ones(inside.sum())], axis=1).astype(float))
    interval = wilson_clustered(sums[:, 0], sums[:, 1], confidence=0.95)
    return f"{interval.value:.2f} ({interval.low:.2f}–{interval.high:.2f})"


def main() -> None:
    """Print the table, or write it between the markers of a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    target = options.write.resolve() if options.write else None
    lines = [
        "| " + " | ".join(row) + " |"
        for row in (HEADER, ("---",) * len(HEADER), *rows_of(read(options.work)))
    ]
    print(*lines, sep="\n")
    if target:
        write_between(target, "bench:default-detector", "\n".join(lines))


if __name__ == "__main__":
    main()
