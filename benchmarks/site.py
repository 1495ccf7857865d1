"""The sample browser at 15,000 and 150,000 records: seconds and megabytes to build, and how long a reader waits.

    python benchmarks/site.py [--records 15000 150000] [--characters 1600] [--write benchmarks/RESULTS.md]

The records are made up: phrases of words drawn by Zipf's law, which deflate as texts of the public data sets do (to
.12-.39 of their bytes at level 1; these to .4); one in ten is Chinese, one Arabic. Each has a question, a label,
spans and the verdicts of two judges. What is measured is `truerate.site.rendered` with the writing of its files, in a
process that has read the tables, and mkdocs after it; then a Chromium opens the page from disk. A filter or a search
is timed from the event to the last card; a search waits .15 s for another key. Each is the median over the choices
named below, every one asked for the first time.
`--write` puts the table between the markers `<!-- bench:site -->` and `<!-- /bench:site -->` of a file.
"""

import argparse
import contextlib
import gc
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import polars as pl

ROOT = Path(__file__).parents[1]
SEED, N_WORDS = 7, 60_000
LANGS = ("en", "en", "en", "en", "de", "fr", "fr", "de", "ar", "zh")
MODELS = tuple(f"model-{k}" for k in range(30))
BYTES = {"zh": 3, "ar": 2}  # of a letter
HAN = [chr(0x4E00 + k) for k in range(3_000)]
ARABIC = [chr(0x0621 + k) for k in range(26) if chr(0x0621 + k).isalpha()]
FILTERS = ("generator=model-7", "lang=zh", "label=right", "agreement=split", "judge=birch&outcome=w")
WATCH = """window.__done = (act) => new Promise((done) => {
  const host = document.getElementById("tr-samples"), start = performance.now();
  new MutationObserver((_, watch) => { if (!host.hasAttribute("aria-busy")) { watch.disconnect(); done(performance.now() - start); } })
    .observe(host, { attributes: true, attributeFilter: ["aria-busy"] });
  act();
});
window.__first = null;
new MutationObserver((_, watch) => {
  if (document.querySelector(".tr-record")) { window.__first = performance.now(); watch.disconnect(); }
}).observe(document, { childList: true, subtree: true });"""
CHOOSE = """(address) => window.__done(() => { location.hash = address; })"""
TYPE = """(text) => window.__done(() => {
  const box = document.querySelector(".tr-query"); box.value = text; box.dispatchEvent(new Event("input", { bubbles: true }));
})"""


# ---- made-up tables ----------------------------------------------------------------------------------------
def vocabulary(draw: random.Random) -> list[str]:
    """Words of syllables, the frequent ones short."""
    parts = [a + b for a in "bdfgklmnprst" for b in ("a", "e", "en", "er", "i", "o", "on")]
    return [
        "".join(draw.choices(parts, k=1 + place.bit_length() // 6 + draw.randrange(2)))
        for place in range(N_WORDS)
    ]


def phrases(draw: random.Random, words: list[str], between: str) -> list[str]:
    """Four thousand times what stands together, of frequent words mostly."""
    weights = [1 / (place + 3) for place in range(len(words))]
    pool = iter(draw.choices(words, weights, k=24_000))
    return [between.join(next(pool) for _ in range(draw.randrange(2, 7))) for _ in range(4_000)]


def texts(n: int, characters: int) -> list[tuple[str, str]]:
    """Language and text of each record."""
    draw = random.Random(SEED)
    words = vocabulary(draw)
    arabic = ["".join(draw.choices(ARABIC, k=draw.randrange(2, 8))) for _ in range(N_WORDS)]
    banks = {"zh": (phrases(draw, HAN, ""), ""), "ar": (phrases(draw, arabic, " "), " ")}
    latin = (phrases(draw, words, " ") + words[:4_000], " ")
    made = []
    for k in range(n):
        lang = LANGS[k % len(LANGS)]
        bank, between = banks.get(lang, latin)
        text = between.join(draw.choices(bank, k=characters // 12))
        made.append((lang, text[: characters // BYTES.get(lang, 1)].capitalize() + "."))
    return made


def write_tables(n: int, characters: int, folder: Path) -> None:
    """Samples, items and judgements as Parquet."""
    from truerate.core.schemas import Item, Judgement, Sample, frame

    def span(k: int) -> list[dict]:
        return [{"start": k % 50, "end": k % 50 + 12, "type": ("entity", "relation")[k % 2], "p": None}]

    samples, items, judgements = [], [], []
    for k, (lang, text) in enumerate(texts(n, characters)):
        is_wrong = k % 3 == 0
        name, item = f"{k:016x}", f"i{k:015x}"
        ids = {"item_id": item, "group_id": item, "lang": lang, "attributes": []}
        samples.append(
            {
                **(
                    ids
                    | {"sample_id": name, "pair_id": None, "task": ("qa", "dialogue")[k % 2], "text": text}
                ),
                **{"is_hallucinated": is_wrong, "label_source": "gold", "generator": MODELS[k % 30]},
                **{"pattern": None, "spans": span(k) if is_wrong else [], "rationale": None, "split": "test"},
            }
        )
        items.append(
            {
                **(ids | {"source": "made-up", "task": "qa", "document_ids": [], "history": ""}),
                **{"question": text[:60], "right_answer": None},
            }
        )
        for judge, miss in (("aster", 5), ("birch", 7)):
            marks = span(k + 5) if is_wrong else None
            judgements.append(
                {
                    **{"judgement_id": f"{judge}{k:015x}", "judge": judge, "judge_version": "1"},
                    **{"target_id": name, "verdict": is_wrong ^ (k % miss == 0), "status": "ok"},
                    **{"reason": None, "spans": marks, "p": 0.5, "rationale": None, "attributes": []},
                }
            )
    for name, table, rows in (("samples", Sample, samples), ("items", Item, items), ("judgements", Judgement, judgements)):  # fmt: skip
        frame(table, rows).write_parquet(folder / f"{name}.parquet")


# ---- building ----------------------------------------------------------------------------------------------
def build(folder: Path) -> dict[str, float]:
    """Read the tables, write every file of the site, and say what that took: of the largest process beyond what
    it held when the tables were read, and of the largest helper.
    """
    from truerate.core.schemas import Row
    from truerate.core.schemas import frame as framed
    from truerate.site import Board, Tables, rendered
    from truerate.tracks.protocol import card_of_track

    gc.set_threshold(20_000, 50, 50)  # as the commands have it
    frames = {
        name: pl.read_parquet(folder / f"{name}.parquet") for name in ("samples", "items", "judgements")
    }
    board = Board(name="made-up", track="made-up", source="made-up", title="Made up", track_card=card_of_track("halueval"),
                  is_simulated=True, source_card={"redistribution": "yes"}, **frames)  # fmt: skip
    tables = Tables("truerate", (board,), {}, framed(Row), max_samples=1_000_000)
    target, size = folder / "build/site_src", 0
    Path("/proc/self/clear_refs").write_text("5")  # the highest memory is counted from here
    held, wall, cpu, load = _highest("self"), time.perf_counter(), _cpu(), os.getloadavg()[0]
    helpers: dict[int, float] = {}
    watch = threading.Thread(target=_watch, args=(helpers,), daemon=True)
    watch.start()
    for path, text in rendered(tables, ROOT / "site"):
        file = target / path
        file.parent.mkdir(parents=True, exist_ok=True)
        size += file.write_text(text, "utf-8") * path.startswith("samples/")
    return {
        "wall": time.perf_counter() - wall,
        "cpu": _cpu() - cpu,
        "load": load,
        "mb": size / 1e6,
        "files": sum(1 for _ in (target / "samples").rglob("*.js")),
        "tables": held,
        "peak": _highest("self") - held,
        "helper": max(helpers.values(), default=0.0),
    }


def _highest(process: int | str) -> float:
    """The memory of a process at its highest, in MB."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next((int(line.split()[1]) / 1e3 for line in lines if line.startswith("VmHWM")), 0.0)


def _watch(helpers: dict[int, float]) -> None:
    """Note the highest memory of every process that this one started, until it ends."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    while True:
        for child in children.read_text().split():
            with contextlib.suppress(OSError):
                helpers[int(child)] = _highest(child)
        time.sleep(0.1)


def _cpu() -> float:
    return sum(os.times()[:4])


def mkdocs(folder: Path) -> float:
    """Seconds of the strict build."""
    (folder / "site").mkdir()
    shutil.copy(ROOT / "site/mkdocs.yml", folder / "site")
    shutil.copytree(ROOT / "site/overrides", folder / "site/overrides")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-f", str(folder / "site/mkdocs.yml")]  # fmt: skip
    start = time.perf_counter()
    subprocess.run(command, check=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    return time.perf_counter() - start


# ---- reading -----------------------------------------------------------------------------------------------
def read(page_address: str, queries: list[str]) -> dict[str, float]:
    """Milliseconds that a reader waits in Chromium, and the heap in MB at the end."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        page = browser.new_page()
        page.add_init_script(WATCH)
        page.goto(page_address)
        page.wait_for_function("window.__first !== null")
        first = page.evaluate("window.__first")
        page.wait_for_function("!document.getElementById('tr-samples').hasAttribute('aria-busy')")
        filters = [page.evaluate(CHOOSE, f"board=made-up&{one}") for one in FILTERS]
        page.evaluate(CHOOSE, "board=made-up")
        searches, n = [], []
        for query in queries:
            searches.append(page.evaluate(TYPE, query))
            n.append(int(page.get_by_role("status").inner_text().split()[0]))
        assert all(n), f"not every word was found: {dict(zip(queries, n, strict=True))}"
        heap = page.evaluate("performance.memory.usedJSHeapSize / 1e6")
        browser.close()
    return {"first": first, "filter": statistics.median(filters), "filter_max": max(filters),
            "search": statistics.median(searches), "search_max": max(searches), "heap": heap}  # fmt: skip


def queries_of(folder: Path) -> list[str]:
    """Words of a record in each script, a frequent one, and two together."""
    rows = pl.read_parquet(folder / "samples.parquet", columns=["lang", "text"])
    one = {lang: rows.filter(lang=lang)["text"][-1] for lang in ("en", "ar", "zh")}
    words = sorted(one["en"].rstrip(".").lower().split(), key=len)
    return [words[-1], words[0], f"{words[-1]} {words[-2]}", one["ar"].split()[0], one["zh"][:2]]


def measure(n: int, characters: int) -> dict[str, float]:
    """All figures of one size."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tables(n, characters, folder)
        command = [sys.executable, __file__, "--build", name]
        told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        told["mkdocs"] = mkdocs(folder)
        return told | read((folder / "build/site/samples.html").as_uri(), queries_of(folder))


def table(measured: dict[int, dict[str, float]]) -> str:
    """One column per size."""
    rows = (
        ("build: seconds, wall clock (limit 10)", "{wall:.1f}"),
        ("build: seconds of CPU, helpers included", "{cpu:.1f}"),
        ("load of the machine before it", "{load:.1f}"),
        ("mkdocs after it: seconds", "{mkdocs:.1f}"),
        ("samples/: MB (limit 200) in files", "{mb:.0f} in {files:,.0f}"),
        ("memory beyond the tables, MB (limit 200)", "{peak:.0f}"),
        ("the tables in memory, MB", "{tables:.0f}"),
        ("largest helper process, MB", "{helper:.0f}"),
        ("first card: s (limit 1)", "{first:.2f}"),
        ("filter: s, median and largest (limit 0.2)", "{filter:.2f}, {filter_max:.2f}"),
        ("free text: s, median and largest (limit 1)", "{search:.2f}, {search_max:.2f}"),
        ("JavaScript heap, MB", "{heap:.0f}"),
    )
    seconds = {"first", "filter", "filter_max", "search", "search_max"}
    shown = {
        n: {key: value / 1e3 if key in seconds else value for key, value in told.items()}
        for n, told in measured.items()
    }
    lines = ["| | " + " | ".join(f"{n:,} records" for n in measured) + " |", "| --- |" + " ---: |" * len(measured)]  # fmt: skip
    lines += [f"| {what} | " + " | ".join(form.format(**shown[n]) for n in measured) + " |" for what, form in rows]  # fmt: skip
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--records", type=int, nargs="+", default=[15_000, 150_000])
    parser.add_argument("--characters", type=int, default=1_600, help="of a record's text")
    parser.add_argument("--build", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--write", type=Path, help="file with the markers")
    options = parser.parse_args()
    if options.build:
        print(json.dumps(build(options.build)))
        return 0
    text = table({n: measure(n, options.characters) for n in options.records})
    print(text)
    if options.write:
        from truerate.results.markers import write_between

        write_between(options.write, "bench:site", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
