"""What a fact is shown of its evidence, by passages, their length, facts per call and the passages of a call.

    python benchmarks/evidence.py [--data DIR] [--encoder ID_OR_FOLDER] [--write benchmarks/RESULTS.md]

Factcheck-GPT's claims (people's labels, evidence that was retrieved for each): the evidence of all claims together is
the web page of one entity, so that a claim's own must be found among that of all others. `own found`: claims of which
a passage of their own evidence is among those retrieved for them; `own shown`: among those that their call shows;
`words`: that a call shows. No model is asked: a verdict on a fact whose evidence is not shown can only be a guess.
`AUROC`: how well the share of a claim's words that stand in what its call shows for it tells claims that people call
true from those that they call false; what no model's reading can mend. RefChecker's labels cannot be taken: its files
hold neither questions nor passages. On planted truth with 28 facts a reply: `evidence_world.py`.
`--encoder`: instead, the retrievers of `verification.retriever` beside one another, one claim a call: BM25, this
encoder's vectors (dense) and both together (hybrid), written between `bench:retrievers`; `own found` is then the
recall at k of a claim's own evidence.
`--data`: the folder with `factcheckgpt/responses.jsonl`, else TRUERATE_DATA. `--write` puts the table between the
markers `<!-- bench:evidence -->` and `<!-- /bench:evidence -->` of a file.
"""

import argparse
import os
import sys
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from sklearn.metrics import roc_auc_score

from truerate.core.schemas import pair
from truerate.core.text import passage_of, words
from truerate.results.markers import write_between
from truerate.sources.public.claims import read_factcheckgpt
from truerate.tracks.wildhallucinations.dense import Retriever
from truerate.tracks.wildhallucinations.passages import Passage, ranked, tokens
from truerate.tracks.wildhallucinations.verifying import Call, Claim, calls

WORDS, PASSAGES, FACTS = (60, 190), (1, 4, 5, 10), (1, 10, 20)
WINDOWS = (20, None)  # passages of a call; None: all that its facts have
NAMED = {(60, 4, 10, 20): "the demo", (190, 5, 10, None): "`full`"}


def claims_of(folder: Path) -> tuple[pl.DataFrame, list[tuple[str, str]]]:
    """Claims that evidence was retrieved for, with the ids of its documents, and all documents."""
    tables = read_factcheckgpt(folder, name="factcheckgpt", on_bad_row="keep")
    rows = tables.samples.select(
        "sample_id", "item_id", "text", "is_hallucinated", evidence=pair("attributes", "evidence")
    )
    rows = rows.filter(pl.col("evidence").str.len_chars() > 0)
    return rows, tables.documents.select("document_id", "text").rows()


def owners(evidence: str) -> set[str]:
    """The documents of which passages are named."""
    return {found[0] for name in evidence.split() if (found := passage_of(name))}


def measured(
    rows: pl.DataFrame, best: list[list[Passage]], k: int, *, n_facts_of: tuple[int, ...] = FACTS
) -> list[tuple]:
    """For each number of facts and each window, of the `k` best passages of each claim: facts, window, found, shown,
    words of a call, AUROC.
    """
    own = {name: owners(evidence) for name, evidence in rows.select("sample_id", "evidence").iter_rows()}
    told = [
        Claim(name, item, item, "m", text, "n", tuple(found[:k]))
        for (name, item, text, *_), found in zip(rows.iter_rows(), best, strict=True)
    ]
    is_false = dict(rows.select("sample_id", "is_hallucinated").iter_rows())
    n_found = sum(any(one.document_id in own[claim.fact_id] for one in claim.passages) for claim in told)
    lines = []
    for n_facts, window in product(n_facts_of, WINDOWS):
        if window is not None and window >= n_facts * k:
            continue  # as all
        made = calls(told, n=n_facts, window=window or n_facts * k)
        shown = sum(
            any(one.document_id in own[claim.fact_id] for one in call.evidence(claim))
            for call in made
            for claim in call.claims
        )
        held = [(is_false[claim.fact_id], coverage(call, claim)) for call in made for claim in call.claims]
        known = [one for one in held if one[0] is not None]
        tells = roc_auc_score([not false for false, _ in known], [share for _, share in known])
        size = sum(len(words(one.text)) for call in made for one in call.passages) / len(made)
        lines.append((n_facts, window, n_found / len(told), shown / len(told), size, tells))
    return lines


def coverage(call: Call, claim: Claim) -> float:
    """The share of a claim's tokens that stand in what its call shows for it; 0 of a claim without any."""
    said = set(tokens(claim.text))
    shown = {one for passage in call.evidence(claim) for one in tokens(passage.text)}
    return len(said & shown) / len(said) if said else 0.0


def table(rows: pl.DataFrame, documents: list[tuple[str, str]]) -> str:
    """All settings as Markdown."""
    lines = [
        f"{rows.height} claims with evidence, {len(documents)} pieces of evidence together.",
        "",
        "| words of a passage | passages a fact | facts a call | passages a call | own found | own shown | words | AUROC |  |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    claims = rows["text"].to_list()
    best = {n_words: ranked(documents, claims, max(PASSAGES), n_words=n_words) for n_words in WORDS}
    for n_words, k in product(WORDS, PASSAGES):
        for n_facts, window, found, shown, size, tells in measured(rows, best[n_words], k):
            named = NAMED.get((n_words, k, n_facts, window), "")
            told = (
                n_words,
                k,
                n_facts,
                window or "all",
                f"{found:.3f}",
                f"{shown:.3f}",
                f"{size:,.0f}",
                f"{tells:.3f}",
                named,
            )
            lines.append(f"| {' | '.join(map(str, told))} |")
    return "\n".join(lines)


def table_of_retrievers(rows: pl.DataFrame, documents: list[tuple[str, str]], encoder: str) -> str:
    """BM25, dense and hybrid at passages of the demo's length and every k, one claim a call, as Markdown."""
    lines = [
        f"{rows.height} claims with evidence, {len(documents)} pieces of evidence together, passages of "
        f"{WORDS[0]} words; encoder {Path(encoder).name}.",
        "",
        "| k | retriever | own found | AUROC |",
        "| ---: | --- | ---: | ---: |",
    ]
    claims, best = rows["text"].to_list(), {}
    with TemporaryDirectory() as folder:  # where vectors of passages are kept from one retriever to the next
        for method in ("bm25", "dense", "hybrid"):
            retriever = Retriever(method, None if method == "bm25" else encoder, Path(folder))
            best[method] = ranked(documents, claims, max(PASSAGES), n_words=WORDS[0], retriever=retriever)
    for k, method in product(PASSAGES, best):
        ((_, _, found, _, _, tells),) = measured(rows, best[method], k, n_facts_of=(1,))
        lines.append(f"| {k} | {method} | {found:.3f} | {tells:.3f} |")
    return "\n".join(lines)


def main() -> int:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("TRUERATE_DATA"))
    parser.add_argument("--write", type=Path, help="file with the markers")
    parser.add_argument("--encoder", help="a Hub id or a folder of safetensors weights")
    given = parser.parse_args()
    if given.data is None:
        parser.error("name the folder of the public data by --data or TRUERATE_DATA")
    claims = claims_of(Path(given.data) / "factcheckgpt")
    if given.encoder:
        marker, text = "bench:retrievers", table_of_retrievers(*claims, given.encoder)
    else:
        marker, text = "bench:evidence", table(*claims)
    print(text)
    if given.write:
        write_between(given.write, marker, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
