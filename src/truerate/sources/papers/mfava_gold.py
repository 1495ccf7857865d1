"""mFAVA's gold file names no annotators: infer whose rows are whose, and vote over them."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from truerate.sources.rows import BadRow, span

N_SHARED = 20  # texts that several rows of a language must share before their order tells whose they are
NOT_INFERABLE = "not inferable"
# a row that was repeated at once is counted by its later one, which leaves a hole in the numbers
N_REPEATED = 2
N_COMPARED = 30  # rows before and behind two equal ones that are held against each other
Content = tuple[object, str]  # of a row: its text, and all that it says but its number


def contents_of(rows: Iterator[tuple[int, Callable[[], object]]]) -> list[Content]:
    """What each row of a gold file says; of an unreadable row, nothing that another one says."""
    contents: list[Content] = []
    for number, make in rows:
        try:
            values = make()
        except BadRow:
            values = None
        if isinstance(values, dict):
            fields = {key: value for key, value in values.items() if key != "row"}
            contents.append((values.get("generated_text"), json.dumps(fields, sort_keys=True, default=str)))
        else:
            contents.append((number, f"unreadable {number}"))
    return contents


def copies(rows: Sequence[Content]) -> set[int]:
    """The numbers (from 1) of rows that are copies: they say all that an earlier row says, and are not
    another annotator's.

    Annotators of shared texts take them in one order: where two agree wholly on one text, the rows around
    both are of the same texts, and one of them says something else. A row that repeats the one before it is
    none here: see `Passage`.
    """
    first: dict[str, int] = {}
    copied = set()
    for index, (_, fields) in enumerate(rows):
        before = first.setdefault(fields, index)
        if index - before > 1 and not _is_of_another(rows, before, index):
            copied.add(index + 1)
    return copied


def _is_of_another(rows: Sequence[Content], before: int, index: int) -> bool:
    """Whether rows around two equal ones, of the same texts in the same order, differ in what they say."""
    for step in (-1, 1):
        for gap in range(step, step * (N_COMPARED + 1), step):
            earlier, later = before + gap, index + gap
            if not (0 <= earlier and later < len(rows)) or rows[earlier][0] != rows[later][0]:
                break
            if rows[earlier][1] != rows[later][1]:
                return True
    return False


def annotators(texts: dict[tuple[str, int], str]) -> dict[tuple[str, int], str]:
    """Return who labelled each row (language, row number), as a name per language; inferred, not published.

    Shared texts stand in the file once per annotator, in one order: a run of neighbouring rows whose texts
    all stand elsewhere, too, and none twice in the run, is one annotator's. Rows whose text stands once are
    `single`. Where a language shares fewer than N_SHARED texts the order tells nothing (many "annotators" of
    one row): all those rows are `not inferable`, one name, so that no agreement is computed between them.
    """
    n_rows = Counter((lang, text) for (lang, _), text in texts.items())
    shared = {text for text, n in n_rows.items() if n > 1}
    n_shared = Counter(lang for lang, _ in shared)
    names, run, n_runs = {}, [], Counter()
    for lang, row in sorted(texts):
        if (lang, texts[lang, row]) not in shared:
            names[lang, row], run = f"{lang} single", []
            continue
        if n_shared[lang] < N_SHARED:
            names[lang, row] = f"{lang} {NOT_INFERABLE}"
            continue
        is_next = run and run[-1] >= (lang, row - N_REPEATED)
        if not is_next or texts[lang, row] in {texts[earlier] for earlier in run}:
            n_runs[lang] += 1
            run = []
        run.append((lang, row))
        names[lang, row] = f"{lang} annotator {n_runs[lang]}"
    return names


def settled(marked: list[list[dict]], text: str) -> list[dict]:
    """Return max-voting: the runs of characters that more than half of the annotators marked (of two both),
    cut where the type of most of them changes.

    Of types with equal votes the first by name is taken. Blanks at the edges of a run are left out. `p` is
    null.
    """
    changes: dict[int, Counter[str]] = defaultdict(Counter)  # votes that begin (+1) and end (-1) at a place
    for mark in (mark for spans in marked for mark in spans):
        changes[mark["start"]][mark["type"]] += 1
        changes[mark["end"]][mark["type"]] -= 1
    votes: Counter[str] = Counter()
    runs: list[dict] = []
    for start, end in pairwise(sorted(changes)):
        votes.update(changes[start])
        if 2 * votes.total() <= len(marked):
            continue
        kind = min((kind for kind in votes if votes[kind]), key=lambda kind: (-votes[kind], kind))
        if runs and runs[-1]["end"] == start and runs[-1]["type"] == kind:
            runs[-1]["end"] = end
        else:
            runs.append(span(start, end, kind))
    trimmed = []
    for run in runs:
        piece = text[run["start"] : run["end"]]
        if piece.strip():
            start = run["start"] + len(piece) - len(piece.lstrip())
            trimmed.append(run | {"start": start, "end": start + len(piece.strip())})
    return trimmed
