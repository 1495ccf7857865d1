"""What the one reader of replies makes of the corpora, of variants that keep the meaning, of the same words in another
dress, and of cut replies; and how long 20 kB take at most.

    python benchmarks/replies.py [--variants 2000] [--cuts 500] [--patterns 60] [--seed 7] [--write benchmarks/RESULTS.md]

The corpora lie in tests/llm/replies, each reply with what a careful person reads. No model is asked. But for the CPU
times of `slowest` the same commit gives the same figures. `--write` puts the tables between the markers
`<!-- bench:replies -->` and `<!-- /bench:replies -->` of a file.
"""

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.llm.replies.corpus import Account, account, load  # noqa: E402
from tests.llm.replies.readers import READERS  # noqa: E402
from tests.llm.replies.test_linear import SIZE, first, patterns, spent  # noqa: E402
from tests.llm.replies.track_readers import READERS as OF_TRACKS  # noqa: E402
from tests.llm.replies.track_readers import rows as rows_of_tracks
from tests.llm.replies.variants import VARIED, cuts, kept  # noqa: E402
from tests.llm.replies.wrapping import FORMS, levelled, variants  # noqa: E402
from truerate.results.markers import write_between  # noqa: E402

SEED = 7
HEADS = "| {} | replies | can be read | read | lost | turned | cannot be read | left unread | invented |\n"
RULE = "| --- | --: | --: | --: | --: | --: | --: | --: | --: |"


def row(name: str, found: Account) -> str:
    """One line of a table: the outcomes of some replies."""
    n_sound = len(found.read) + len(found.lost) + len(found.turned)
    n_none = len(found.left) + len(found.invented)
    share = f" ({100 * len(found.read) / n_sound:.1f} %)" if n_sound else ""
    counts = (len(found.lost), len(found.turned), n_none, len(found.left), len(found.invented))
    cells = [
        f"{n_sound + n_none:,}",
        f"{n_sound:,}",
        f"{len(found.read):,}{share}",
        *(f"{n:,}" for n in counts),
    ]
    return f"| {name} | " + " | ".join(cells) + " |"


def of_corpora() -> str:
    """The outcomes of every corpus."""
    lines = [row(name, account(load(name), lambda one, n=name: READERS[n](one).value)) for name in READERS]
    lines += [row(name, account(rows_of_tracks(name), read)) for name, read in OF_TRACKS.items()]
    prose = [(one["corpus"], one) for one in load("prose")]
    lines += [
        row(f"free prose: {name}", _account([one for one in prose if one[0] == name]))
        for name in dict.fromkeys(name for name, _ in prose)
    ]
    return HEADS.format("corpus") + "\n".join([RULE, *lines])


def in_other_dress(n_patterns: int, seed: int) -> str:
    """By corpus the outcomes of its replies as they are and, of each form of `wrapping`, in another dress; and the CPU
    time of the slowest of some patterns made to be slow.
    """
    head = "| corpus | read | lost | turned | invented | dressed | read | lost | turned | invented | slowest: ms for 20 kB |\n"
    lines = [head + "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |"]
    for name in [*READERS, *OF_TRACKS]:
        rows = load(name) if name in READERS else rows_of_tracks(name)
        read = OF_TRACKS.get(name) or (lambda one, n=name: READERS[n](one).value)
        draw = random.Random(seed)
        dressed = [
            {**one, "value": levelled(one["value"]), "also": [levelled(also) for also in one.get("also", ())]}
            for row in rows for form in FORMS for one in variants(row, form, draw, 1)
        ]  # fmt: skip
        plain, other = account(rows, read), account(dressed, lambda one, read=read: levelled(read(one)))
        slowest = max(
            spent(read, first(name), text_of(SIZE), enough=0)
            for _, text_of in patterns(f"{seed} {name}", n_patterns)
        )
        counts = [len(some) for some in plain[:4]] + [len(dressed)] + [len(some) for some in other[:4]]
        lines.append(f"| {name} | " + " | ".join(f"{n:,}" for n in counts) + f" | {1000 * slowest:.0f} |")
    return "\n".join(lines)


def of_variants(n: int, seed: int) -> str:
    """The outcomes of seeded variants by their form, and of cut replies."""
    made = kept([(name, one) for name in VARIED for one in load(name)], n, seed)
    by_form: dict[str, list[tuple[str, dict]]] = {}
    for kind, one in made:
        by_form.setdefault(one["form"], []).append((kind, one))
    lines = [row(form, _account(some)) for form, some in sorted(by_form.items())]
    return HEADS.format("form") + "\n".join([RULE, *lines, row("**all forms**", _account(made))])


def _account(made: list[tuple[str, dict]]) -> Account:
    """The outcomes of replies of several kinds."""
    rows = [{**one, "corpus": kind} for kind, one in made]
    return account(rows, lambda one: READERS[one["corpus"]](one).value)


def of_cuts(n: int, seed: int) -> str:
    """The outcomes of replies cut before or inside their verdict."""
    found = account(cuts(n, seed), lambda one: READERS["verdicts"](one).value)
    return HEADS.format("cut") + "\n".join([RULE, row("before or inside the verdict", found)])


def reasons() -> str:
    """Why replies without a value have none, over all corpora."""
    counted: Counter[str] = Counter()
    for name in READERS:
        counted.update(found.reason for one in load(name) if (found := READERS[name](one)).reason)
    return "Reasons given: " + ", ".join(f"`{why}` {n}" for why, n in counted.most_common()) + "."


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--variants", type=int, default=2_000)
    parser.add_argument("--cuts", type=int, default=500)
    parser.add_argument("--patterns", type=int, default=60, help="made to be slow, for each reader")
    parser.add_argument("--seed", type=int, default=SEED, help="of the variants and cuts")
    parser.add_argument("--write", metavar="FILE")
    options = parser.parse_args()
    seeded = [of_variants(options.variants, options.seed), of_cuts(options.cuts, options.seed)]
    dress = in_other_dress(options.patterns, options.seed)
    text = "\n\n".join([of_corpora(), reasons(), dress, *seeded])
    print(text)
    if options.write:
        write_between(Path(options.write), "bench:replies", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
