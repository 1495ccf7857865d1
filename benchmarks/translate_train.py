"""What translate-train loses: detectors that learned from translated passages beside detectors that learned
from originals of a language.

    python benchmarks/translate_train.py [--write benchmarks/RESULTS.md]

The track's own steps on a small wiki of the closed world: its translator puts the English training passages
into every other language, once with their tags and once without, their spans put back by an alignment of
words (`projection: tags | alignment`); its writer makes silver passages, and the networks of params.yaml are
fitted (`mono`, `binary`) on the translations of each way that came through and on the same passages written
directly in that language. How far the spans of both ways agree is counted in tokens over the passages whose
translations are the same text. All are held against the silver passages, whose entities and inserted phrases neither has
met. F1 is over tokens; the interval of a loss (originals − a way) is a bootstrap over references with
the seeds pooled: it knows nothing of the spread between trainings. `--write` puts the tables between the
markers `<!-- bench:translate-train -->` and `<!-- /bench:translate-train -->` of a file.
"""

import argparse
import os
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl

from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.core.schemas import SPANS, Judgement, frame, pair, scan
from truerate.core.spans.tags import Tagged, parse_tags
from truerate.detectors.tokens.family import jobs_of, judge_tokens
from truerate.detectors.tokens.predict import fit
from truerate.detectors.training.jobs import fit_all
from truerate.metrics.intervals import cluster_bootstrap, cluster_sums
from truerate.metrics.tokens import TokenCounts, offsets_by, token_counts, total, word_offsets
from truerate.results.markers import write_between
from truerate.sources.raw import wiki_files
from truerate.sources.tables import SourceTables
from truerate.tracks.asking import context_frame
from truerate.tracks.mfava import steps
from truerate.tracks.mfava.context import SOURCE, contexts
from truerate_world.mfava.models.entity_table import build
from truerate_world.mfava.models.reader import reader
from truerate_world.mfava.sources import write
from truerate_world.mfava.training import example

BOARD = "mfava-closed-world"
PROJECTIONS, ORIGINALS = ("tags", "alignment"), "originals"
WAYS = (*PROJECTIONS, ORIGINALS)
N_TRAIN, N_SILVER = 160, 40


@dataclass(frozen=True)
class Texts:
    """What is learned from, by way, and the silver passages that are judged; by projection what became of the
    translations (lang, reason or `ok`), and how the spans of alignment agree with those of tags, by language.
    """

    taught: dict[str, pl.DataFrame]
    held: pl.DataFrame
    outcomes: dict[str, Counter]
    agreement: dict[str, TokenCounts]


def settings(member: str, seeds: tuple[int, ...], langs: tuple[str, ...], projection: str = "tags") -> Layout:
    """The project's own settings with a small wiki in some languages and one detector per language."""
    values = load_params("params.yaml").model_dump()
    values["sizes"]["demo"]["mfava"] |= {
        "train": N_TRAIN,
        "silver": N_SILVER,
        "seeds": seeds,
        "scopes": ("mono",),
        "labels": ("binary",),
    }
    values["detectors"]["tokens"]["members"] = (member,)
    values["tracks"]["mfava"] |= {"languages": langs, "projection": projection}
    return Layout(Params.model_validate(values | {"profile": "demo", "n_shards": 1})).on(BOARD)


def texts(config: Layout, langs: tuple[str, ...], folder: Path) -> Texts:
    """The wiki of a folder through the track's steps, and the same training passages written directly in
    `langs`.
    """
    track = config.p.track(BOARD)
    write(folder, config.p.seed, n_train=N_TRAIN, n_silver=N_SILVER, n_articles=1, languages=track.languages)
    tables = wiki_files.read(folder, name="closed-world-wiki", on_bad_row="stop")
    asked = replace(
        tables, items=tables.items.filter((pl.col("task") == "train") | pl.col("lang").is_in(langs))
    )  # silver in these alone
    member, seeds = config.p.detectors["tokens"].members[0], config.p.size_of(BOARD).seeds
    fewer = settings(member, seeds, (SOURCE, *langs))
    silver = steps.silver(fewer, BOARD, track.writer, asked, 0, {})
    made, came = {}, {}
    for way in PROJECTIONS:
        there = settings(member, seeds, track.languages, way)
        came[way] = steps.translate(there, BOARD, track.translator, tables, 0, {})
        replies = {"translate": came[way], "silver": silver}
        made[way], _ = steps.exported(fewer, BOARD, asked, replies, {"judgements": frame(Judgement)})
    chosen = pl.col("lang").is_in(langs)
    taught = {
        way: _with_references(steps.training(found["samples"]).filter(chosen), found, tables)
        for way, found in made.items()
    }
    first = made[PROJECTIONS[0]]
    targets = steps.targets(first["samples"], first["generations"]).filter(chosen)
    return Texts(
        taught | {ORIGINALS: originals(config, tables, langs)},
        _with_references(targets, first, tables),
        {way: outcomes(replies) for way, replies in came.items()},
        agreement(came),
    )


def _with_references(rows: pl.DataFrame, made: dict, tables: SourceTables) -> pl.DataFrame:
    documents = pl.concat([tables.documents, made["documents"]])
    known = context_frame(contexts(made["items"], documents)).select("item_id", reference="knowledge")
    return rows.join(known, on="item_id")


def agreement(came: dict[str, pl.DataFrame]) -> dict[str, TokenCounts]:
    """Tokens in spans by tags (gold), by alignment (detected) and by both, by language, over the passages whose
    translations are one text.
    """
    read: dict[str, dict[tuple, Tagged]] = {}
    for way, replies in came.items():
        rows = replies.filter(pl.col("purpose") == "translate", pl.col("status") == "ok")
        keys = rows.select(
            pair("attributes", "lang").alias("lang"), pair("attributes", "sample").alias("of"), "text"
        )
        read[way] = {(lang, of): parse_tags(text) for lang, of, text in keys.iter_rows()}
    first, second = (read[way] for way in PROJECTIONS)
    counts: dict[str, list[TokenCounts]] = {}
    for key in sorted(first.keys() & second.keys()):
        if first[key].text == second[key].text:
            spans = [[(one["start"], one["end"]) for one in found[key].spans] for found in (first, second)]
            counts.setdefault(key[0], []).append(token_counts(word_offsets(first[key].text), *spans))
    return {lang: total(each) for lang, each in counts.items()}


def outcomes(replies: pl.DataFrame) -> Counter:
    """How many translated passages came through (`ok`) or were dropped for which reason, by (language, outcome)."""
    found = replies.filter(purpose="translate").select(
        pair("attributes", "lang").alias("lang"), "status", "reason"
    )
    return Counter(
        (lang, "ok" if status == "ok" else reason or status) for lang, status, reason in found.iter_rows()
    )


def originals(config: Layout, tables: SourceTables, langs: tuple[str, ...]) -> pl.DataFrame:
    """The training passages as written in each language, in the groups of their English twins: the halves of
    a training are the same.
    """
    known, world = (
        tables.samples.filter(task="train").join(tables.items, on="item_id", suffix="_item"),
        reader(build(config.p.seed)),
    )
    groups = {row["text"]: row["group_id"] for row in known.iter_rows(named=True)}
    rows = []
    for lang in langs:
        for place in range(N_TRAIN):
            group, made = groups[parse_tags(example(world, place).marked).text], example(world, place, lang)
            tagged, name = parse_tags(made.marked), f"original-{place:05d}-{lang}"
            spans = [{**span, "p": None} for span in tagged.spans]
            told = {"target_id": name, "item_id": name, "group_id": group, "lang": lang, "task": "train"}
            rows.append(told | {"text": tagged.text, "spans": spans, "reference": made.reference})
    return pl.DataFrame(rows, schema_overrides={"spans": SPANS})


# ---- learning and judging ----------------------------------------------------------------------------------
def judged(config: Layout, taught: pl.DataFrame, held: pl.DataFrame, folder: Path) -> pl.DataFrame:
    """What the detectors that learned from `taught` say of the silver passages."""
    members, size = config.p.detectors["tokens"].members, config.p.size_of(BOARD)
    fit_all(jobs_of(members, taught, config.p, size, scratch=folder / "scratch"), fit, folder / "fitted")
    files = judge_tokens(members, held, config.p, size, folder=folder / "fitted", kept=folder / "judged")
    return scan(Judgement, files).collect()


def sums(held: pl.DataFrame, found: pl.DataFrame, lang: str, seed: int, tokenizer: str) -> np.ndarray:
    """2 · both and gold + detected tokens of each reference, (references, 2), whose ratio of totals is F1."""
    rows = found.filter((pair("attributes", "lang") == lang) & (pair("attributes", "seed") == str(seed)))
    said, cut = dict(rows.select("target_id", "spans").iter_rows()), offsets_by(tokenizer)
    own, each = held.filter(lang=lang).sort("target_id"), []
    for name, text, spans in own.select("target_id", "text", "spans").iter_rows():
        marked = [(one["start"], one["end"]) for one in said[name] if one["p"] > 0.5]
        counts = token_counts(cut(text), [(one["start"], one["end"]) for one in spans], marked)
        each.append([2 * counts.both, counts.gold + counts.detected])
    return cluster_sums(own["group_id"].to_list(), np.array(each))


# ---- tables ------------------------------------------------------------------------------------------------
def dropped_table(made: Texts) -> str:
    """Translations that were dropped, with reasons, per projection and language; and the F1 of tokens in spans by
    alignment against those by tags.
    """
    lines = ["| projection | language | translations | dropped | of which | spans like tags’, F1 |"]
    lines.append("| --- | --- | ---: | ---: | --- | ---: |")
    for way, lang in product(PROJECTIONS, sorted({lang for lang, _ in made.outcomes[PROJECTIONS[0]]})):
        found = made.outcomes[way]
        n = sum(count for (name, _), count in found.items() if name == lang)
        reasons = sorted(
            (reason, count) for (name, reason), count in found.items() if name == lang and reason != "ok"
        )
        told = ", ".join(f"{reason} {count}" for reason, count in reasons) or "–"
        alike = f1_of(made.agreement[lang]) if way == PROJECTIONS[1] and lang in made.agreement else "–"
        dropped = sum(count for _, count in reasons) / n
        lines.append(f"| {way} | {lang} | {n} | {dropped:.1%} | {told} | {alike} |")
    return "\n".join(lines)


def f1_table(config: Layout, made: Texts, found: dict[str, pl.DataFrame], seeds: tuple[int, ...]) -> str:
    """Token F1 of each way per language and seed, and the difference over all seeds with its interval."""
    kept, tokenizer = (
        {way: Counter(rows["lang"]) for way, rows in made.taught.items()},
        config.p.track(BOARD).tokenizer,
    )
    lines = [
        "| language | learned from | passages | "
        + " | ".join(f"F1, seed {seed}" for seed in seeds)
        + " | mean F1 | loss |"
    ]
    lines.append("| --- | --- | ---: | " + "---: | " * len(seeds) + "---: | --- |")
    for lang in sorted(kept[WAYS[0]]):
        each = {way: [sums(made.held, found[way], lang, seed, tokenizer) for seed in seeds] for way in WAYS}
        mean = {way: np.mean([f1_sums(one) for one in each[way]]) for way in WAYS}
        whole = {way: np.sum(each[way], axis=0) for way in WAYS}
        for way in WAYS:
            gap = f1_gap(whole[ORIGINALS], whole[way], **drawn(config))
            cells = " | ".join(f"{f1_sums(one):.3f}" for one in each[way])
            loss = f"{gap.value:+.3f} ({gap.low:+.3f} to {gap.high:+.3f})" if way != ORIGINALS else "–"
            lines.append(f"| {lang} | {way} | {kept[way][lang]} | {cells} | {mean[way]:.3f} | {loss} |")
    return "\n".join(lines)


def f1_of(counts: TokenCounts) -> str:
    """F1 of tokens in spans, as printed."""
    return f"{2 * counts.both / (counts.gold + counts.detected):.3f}"


def f1_gap(first: np.ndarray, second: np.ndarray, **drawn):
    """F1 of the first totals less that of the second, both (clusters, 2), resampled together so that what they
    have in common cancels.
    """
    sums = np.hstack([first, second])
    return cluster_bootstrap(
        sums, lambda t: (t[:, 0] / t[:, 1] - t[:, 2] / t[:, 3])[:, None], bounds=(-1.0, 1.0), **drawn
    )[0]


def f1_sums(each: np.ndarray) -> float:
    """F1 of the totals."""
    top, bottom = each.sum(axis=0)
    return top / bottom


def drawn(config: Layout) -> dict:
    """The settings of a bootstrap."""
    return {
        "n_resamples": config.p.statistics.n_bootstrap,
        "confidence": config.p.statistics.confidence,
        "seed": config.p.seed,
    }


def main() -> None:
    """Print the tables, and write them into a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--languages", default="de,zh", help="that detectors are trained in, comma-joined")
    parser.add_argument("--seeds", default="42,47", help="of the detectors, comma-joined")
    parser.add_argument("--member", default="tiny-prefix", help="the network that learns")
    parser.add_argument("--write", type=Path, help="file with the markers")
    options = parser.parse_args()
    langs, seeds = tuple(options.languages.split(",")), tuple(map(int, options.seeds.split(",")))
    at = settings(options.member, seeds, load_params("params.yaml").tracks["mfava"].languages)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRUERATE_STORE"] = str(Path(folder, "store", "responses.sqlite"))
        made = texts(at, langs, Path(folder, "wiki"))
        found = {way: judged(at, made.taught[way], made.held, Path(folder, way)) for way in WAYS}
    counted = ", ".join(f"{n} in {lang}" for lang, n in sorted(Counter(made.held["lang"]).items()))
    note = f"Mono detectors (`{options.member}`) on silver passages of entities and inserted phrases that none has met: {counted}."
    text = "\n\n".join([dropped_table(made), note, f1_table(at, made, found, seeds)])
    print(text)
    if options.write:
        write_between(options.write, "bench:translate-train", text)


if __name__ == "__main__":
    main()
