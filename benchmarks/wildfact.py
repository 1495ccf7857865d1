"""All scores of WildHallucinations at the paper's size: how long they take, how much memory, and against
plain pandas.

Run `python benchmarks/wildfact.py` from the project's folder; `--write benchmarks/RESULTS.md` puts the table
between the markers `<!-- bench:wildfact -->` and `<!-- /bench:wildfact -->`; `--entities 500` is a quick run.
Invented verdicts, no model calls: every entity is asked of 15 models, a reply that does not abstain has about
28 facts. Both sides are given the same columns and give every score raw, for all entities and for the common
ones, by domain, Wikipedia, rarity and region, with cluster-robust intervals; the values must agree to 1e-9. What a
reply with unread verdicts says of Strict both take from `metrics.unread`.
"""

import argparse
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import polars as pl

from truerate.metrics.unread import all_supported
from truerate.metrics.wildfact import ALL_SUPPORTED, PRODUCTS, SCORES, STATING, STRICT_PAPER
from truerate.results.markers import write_between
from truerate.tracks.wildhallucinations.replies import SLICES, reply_scores, score_cells

ENTITIES, SUBJECTS, FACTS = 7919, 15, 28  # Zhao et al. 2024: 118,785 replies
GAMMA, DOMAINS_ABOVE, CONFIDENCE = 10, 500, 0.95
SIZES = (1_000, 10_000, 100_000)  # replies, for the cost of one
COUNTS = [1500, 1300, 1200, 900, 700] + [
    155
] * 15  # entities per domain, about as the paper's: five above 500
EQUAL = 1e-9


def drawn(n_entities: int, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Replies and facts of `n_entities` that are asked of every model."""
    rng = np.random.default_rng(seed)
    domain = rng.choice(len(COUNTS), size=n_entities, p=np.array(COUNTS) / sum(COUNTS))
    rarity, is_wikipedia = rng.integers(1, 5, n_entities), rng.random(n_entities) < 0.5
    region = domain % 4
    skill = rng.uniform(0.72, 0.95, SUBJECTS)
    entity, subject = np.repeat(np.arange(n_entities), SUBJECTS), np.tile(np.arange(SUBJECTS), n_entities)
    is_abstained = rng.random(len(entity)) < rng.uniform(0.01, 0.2, SUBJECTS)[subject]
    n_facts = np.where(is_abstained, 0, rng.poisson(FACTS, len(entity)))
    own = rng.beta(8 * skill[subject], 8 * (1 - skill[subject]))
    owner = np.repeat(np.arange(len(entity)), n_facts)
    names = pl.Series(np.arange(len(entity))).cast(pl.String).str.zfill(16)
    replies = pl.DataFrame(
        {
            "generation_id": names,
            "subject": pl.Series([f"model-{number}" for number in range(SUBJECTS)])[subject],
            "entity": (pl.Series(entity).cast(pl.String)).str.zfill(16),
            "is_abstained": is_abstained,
            "is_whole": True,
            "domain": pl.Series([f"domain-{number}" for number in range(len(COUNTS))])[domain[entity]],
            "wikipedia": pl.Series(["no", "yes"])[is_wikipedia.astype(int)[entity]],
            "rarity": pl.Series([f"10^{number}" for number in range(5)])[rarity[entity]],
            "region": pl.Series(["Asia", "Europe", "Africa", "America"])[region[entity]],
        }
    )
    verdicts, is_read = (
        pl.Series(rng.random(len(owner)) < own[owner]),
        pl.Series(rng.random(len(owner)) >= 0.001),
    )
    facts = pl.DataFrame(
        {
            "fact_id": pl.Series(rng.permutation(len(owner))).cast(pl.String).str.zfill(16),
            "generation_id": names.gather(owner),
            "is_supported": pl.select(pl.when(is_read).then(verdicts)).to_series(),
            "is_duplicate": rng.random(len(owner)) < 0.04,
            "is_title": rng.random(len(owner)) < 0.02,
        }
    )
    facts = facts.with_columns(
        text=pl.lit("An invented fact of about as many characters as one has: ") + pl.col("fact_id")
    )
    return replies, facts.sort(
        "fact_id"
    )  # by a content hash, as tables are: the facts of one reply are no neighbours


# ---- ours --------------------------------------------------------------------------------------------------


def ours(replies: pl.DataFrame, facts: pl.DataFrame) -> pl.DataFrame:
    """Every cell by the product's own functions."""
    scored = reply_scores(replies, facts, gamma=GAMMA, domains_above=DOMAINS_ABOVE)
    return score_cells(scored, panel=sorted(replies["subject"].unique()), confidence=CONFIDENCE)


# ---- plain pandas ------------------------------------------------------------------------------------------


def plain(replies, facts, at_once: bool = False) -> dict[tuple, tuple[float, float]]:
    """The same values and standard errors by groupby in pandas: {cell: (value, standard error)}.

    As one would write it first, a function that is called for each score of each cell; `at_once`: one groupby
    sums all scores of a cell.
    """
    import pandas as pd

    known = facts.dropna(subset=["is_supported"]).astype({"is_supported": float})
    own = known[~known["is_duplicate"]]
    table = replies.set_index("generation_id")
    table["n_facts"] = facts.groupby("generation_id").size()
    table["n_facts"] = table["n_facts"].fillna(0)
    table["n_read"] = known.groupby("generation_id").size()
    table["n_duplicate"] = facts.groupby("generation_id")["is_duplicate"].sum()
    table["n_title"] = facts.groupby("generation_id")["is_title"].sum()
    table = table.fillna({"n_read": 0, "n_duplicate": 0, "n_title": 0})
    responds = ~table["is_abstained"]
    table["score"] = known.groupby("generation_id")["is_supported"].mean()[
        lambda found: responds[found.index]
    ]
    table["dedup"] = own.groupby("generation_id")["is_supported"].mean()[lambda found: responds[found.index]]
    table["length"] = table["score"] * np.where(
        table["n_facts"] < GAMMA, np.exp(1 - GAMMA / table["n_facts"].clip(lower=1)), 1
    )
    n_supported = known.groupby("generation_id")["is_supported"].sum().reindex(table.index).fillna(0)
    is_told = responds & (table["n_facts"] > 0)
    told = table[is_told]
    table.loc[is_told, ALL_SUPPORTED] = all_supported(
        told["subject"].to_numpy(str),
        told["n_facts"].to_numpy(int),
        told["n_read"].to_numpy(int),
        (told["n_read"] - n_supported[is_told]).to_numpy(int),
    )
    table["has_no_fact"] = (table["n_facts"] == 0).astype(float).where(responds)
    table["n_unparsed"] = table["n_facts"] - table["n_read"]
    sizes = table.groupby("domain")["entity"].nunique()
    table["domain"] = table["domain"].where(table["domain"].map(sizes) > DOMAINS_ABOVE, "other")
    is_common = table["score"].notna().groupby(table["entity"]).all()
    ratios = {
        name: (table[column].fillna(0), table[column].notna())
        for name, column in SCORES.items()
        if name not in PRODUCTS
    }
    ratios[STRICT_PAPER] = (
        (is_told & (n_supported == table["n_facts"])).astype(float),
        pd.Series(True, index=table.index),
    )
    ratios[STATING], ratios[ALL_SUPPORTED] = (
        (is_told, pd.Series(True, index=table.index)),
        (table[ALL_SUPPORTED].fillna(0), table[ALL_SUPPORTED].notna()),
    )
    ratios["unreadable_rate"] = ((responds & (table["n_read"] < table["n_facts"])).astype(float), responds)
    ratios["no_fact_rate"] = (table["has_no_fact"].fillna(0), table["has_no_fact"].notna())
    for name, column in (
        ("unparsed_fact_rate", "n_unparsed"),
        ("duplicate_fact_rate", "n_duplicate"),
        ("title_fact_rate", "n_title"),
    ):
        ratios[name] = (table[column], table["n_facts"])
    for name, (top, bottom) in ratios.items():
        table["y " + name], table["x " + name] = top.astype(float), bottom.astype(float)
    found = {}
    for kind, part in {"all": table, "common": table[table["entity"].map(is_common)]}.items():
        for subject, rows in part.groupby("subject"):
            found |= cells(rows, list(ratios), at_once, (subject, kind, None, None))
            for slice_ in SLICES:
                for value, inside in rows.groupby(slice_):
                    found |= cells(inside, list(ratios), at_once, (subject, kind, slice_, value))
    return found


def cells(rows, names: list[str], at_once: bool, key: tuple) -> dict[tuple, tuple[float, float]]:
    """Every ratio of one cell with its cluster-robust standard error."""
    sums = (
        rows.groupby("entity")[[kind + name for name in names for kind in ("y ", "x ")]].sum()
        if at_once
        else None
    )
    found = {}
    for name in names:
        own = rows.groupby("entity")[["y " + name, "x " + name]].sum() if sums is None else sums
        found[*key, name] = clustered(own, name)
    for name, pair in PRODUCTS.items():
        first, second = (found.pop((*key, one))[0] for one in pair)
        found[*key, name] = (first * min(1.0, max(0.0, second)), np.nan)
    return found


def clustered(sums, name: str) -> tuple[float, float]:
    """A ratio of sums over entities and its standard error."""
    y, x = sums["y " + name].to_numpy(), sums["x " + name].to_numpy()
    y, x = y[x > 0], x[x > 0]
    value = y.sum() / x.sum() if len(x) else np.nan
    error = np.sqrt(len(x) / (len(x) - 1) * ((y - value * x) ** 2).sum()) / x.sum() if len(x) > 1 else np.nan
    return value, error


def largest_gap(made: pl.DataFrame, reference: dict) -> float:
    """The largest difference of a value, and of the standard error that an interval rests on; every cell must
    be there. Where each entity has one reply of yes or no the interval rests on their number.
    """
    rows = made.select(
        "subject", "set", "slice", "group", "metric", "value", "n_effective", "n", "n_clusters"
    ).rows()
    assert {row[:5] for row in rows} == set(reference)
    from scipy.special import stdtrit

    from truerate.metrics.intervals import z_of

    gaps = [0.0]
    for *key, value, n, n_replies, c in rows:
        expected, error = reference[tuple(key)]
        assert (value is None) == np.isnan(expected)
        if value is not None:
            gaps.append(abs(value - expected))
        if n is not None and 0 < value < 1 and error > 1e-12:
            widened = (z_of(CONFIDENCE) / float(stdtrit(c - 1, (1 + CONFIDENCE) / 2))) ** 2
            widened = c / (c - 1) if n == n_replies else widened
            gaps.append(abs(np.sqrt(value * (1 - value) / (n / widened)) - error))
    return max(gaps)


# ---- time and memory ---------------------------------------------------------------------------------------


def timed(run, *given, n: int = 3):
    """What `run` gives, and the seconds of its fastest of `n` runs: other work on the machine only adds to them."""
    best = float("inf")
    for _ in range(n):
        start = time.perf_counter()
        found = run(*given)
        best = min(best, time.perf_counter() - start)
    return found, best


def peak(n_entities: int, seed: int) -> tuple[float, float]:
    """Bytes of replies and facts, and the peak of a process of its own above what it held before these were
    there, while it scores them.
    """
    done = subprocess.run(
        [sys.executable, __file__, "--peak", "--entities", str(n_entities), "--seed", str(seed)],
        capture_output=True,
        text=True,
        check=True,
    )
    size, most = map(float, done.stdout.split())
    return size, most


def watched(n_entities: int, seed: int) -> tuple[int, int]:
    """What `peak` prints, in the process that it starts; the tables are read as the product reads them."""
    import tempfile

    import psutil

    own, is_done = psutil.Process(), threading.Event()
    ours(*drawn(40, seed))  # what is loaded once
    with tempfile.TemporaryDirectory() as folder:
        wanted = ["--tables", folder, "--entities", str(n_entities), "--seed", str(seed)]
        subprocess.run([sys.executable, __file__, *wanted], check=True)
        before = own.memory_info().rss
        replies, facts = (pl.read_parquet(Path(folder) / f"{name}.parquet") for name in ("replies", "facts"))
    seen = [own.memory_info().rss]
    watcher = threading.Thread(
        target=lambda: [seen.append(own.memory_info().rss) for _ in iter(lambda: is_done.wait(0.002), True)]
    )
    watcher.start()
    ours(replies, facts)
    is_done.set()
    watcher.join()
    return replies.estimated_size() + facts.estimated_size(), max(seen) - before


# ---- the table ---------------------------------------------------------------------------------------------


def in_pandas(table: pl.DataFrame):
    """A frame as pandas holds it."""
    import pandas

    return pandas.DataFrame({name: table[name].to_list() for name in table.columns})


def report(n_entities: int, seed: int) -> str:
    """All measurements as Markdown; fails where the values differ."""
    replies, facts = drawn(n_entities, seed)
    made, own = timed(ours, replies, facts)
    pandas = in_pandas(replies), in_pandas(facts.drop("fact_id", "text"))
    asked = f"{replies.height:,} replies of {SUBJECTS} models to {n_entities:,} entities"
    lines = [f"{asked}, {facts.height:,} facts, {made.height:,} values.", ""]
    lines += [
        "| what | seconds | times ours |",
        "| --- | ---: | ---: |",
        f"| ours, values and intervals | {own:.2f} | 1 |",
    ]
    for what, at_once in (
        ("pandas, a groupby per score and cell", False),
        ("pandas, a groupby per cell", True),
    ):
        reference, seconds = timed(plain, *pandas, at_once)
        gap = largest_gap(made, reference)
        assert gap <= EQUAL, f"{what}: values differ by {gap}"
        lines.append(f"| {what} | {seconds:.2f} | {seconds / own:.0f} |")
    size, most = peak(n_entities, seed)
    memory = (
        f"The tables take {size / 1e6:.0f} MB, the whole process at its peak {most / size:.2f} times that."
    )
    lines += ["", f"Largest difference of a value or standard error: {gap:.0e}. {memory}", ""]
    lines += ["| replies | seconds | µs per reply |", "| ---: | ---: | ---: |"]
    for n in SIZES:
        given = drawn(-(-n // SUBJECTS), seed)
        seconds = timed(ours, *given, n=5)[1]
        lines.append(f"| {given[0].height:,} | {seconds:.3f} | {1e6 * seconds / given[0].height:.1f} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table, and write it into a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entities", type=int, default=ENTITIES)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--write", type=Path, help="file with the markers")
    parser.add_argument(
        "--peak", action="store_true", help="only the size of the tables and the peak of memory, in bytes"
    )
    parser.add_argument("--tables", type=Path, help="only write the invented tables into this folder")
    options = parser.parse_args()
    if options.tables:
        for name, table in zip(("replies", "facts"), drawn(options.entities, options.seed), strict=True):
            table.write_parquet(options.tables / f"{name}.parquet", compression="zstd", statistics=False)
        return
    if options.peak:
        print(*watched(options.entities, options.seed))
        return
    text = report(options.entities, options.seed)
    print(text)
    if options.write:
        write_between(options.write, "bench:wildfact", text)


if __name__ == "__main__":
    main()
