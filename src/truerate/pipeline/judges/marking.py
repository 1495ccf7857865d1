"""What a trained or published detector marks in answers of a person's own, in whole words."""

from collections.abc import Iterable, Sequence
from contextlib import chdir, nullcontext
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple

from truerate.core.errors import SettingsError, TruerateError, listed
from truerate.core.spans.whole_words import MARKED, is_unicode, whole_words
from truerate.detectors.absent_words import MARKS, WORD_SUPPORT

ABSENT = "absent"  # the type of what a rule marks


class Marked(NamedTuple):
    """A text with the spans that a detector marked.

    `spans`: whole words {start, end, type, p} in code points, in order, disjoint; p above the detector's
    `threshold` marks a span, below it is suspected; of a rule, which has none, 1. `p`: the largest, 0 without spans. `detector`, `board`:
    which one, trained where. `pieces`: the same as the detector cuts the text.
    """

    text: str
    spans: list[dict]
    p: float
    detector: str
    board: str
    pieces: Sequence[dict] = ()
    threshold: float = MARKED


def check(
    answer: str,
    reference: str,
    detector: str | PathLike[str] | None = None,
    params: str | PathLike[str] = "params.yaml",
) -> Marked:
    """The words of an answer that its reference does not support, by a detector; no spans and p 0 where there
    are none.

    `detector`: a trained token detector of the project of `params` (default: that of the rates), or a
    published one: `org/name`, `org/name@v1.0` or a folder, without a project. Works in the project's folder.
    A rule needs neither: `word-support` (the default without a project) marks content words that the
    reference lacks, `number-support` numbers.
    Raises TruerateError for an empty text, wrong settings, and a detector that is unknown, untrained or
    cannot be loaded.
    """
    return check_pairs([(answer, reference)], detector, params)[0]


def check_pairs(
    pairs: Iterable[tuple[str, str]],
    detector: str | PathLike[str] | None = None,
    params: str | PathLike[str] = "params.yaml",
) -> list[Marked]:
    """`check` for many pairs, loading the detector once; raises before anything is marked."""
    whole = _whole_pairs(pairs)
    name = None if detector is None else _name(detector)
    path = Path(_path(params, "params", "the path of a params.yaml")).expanduser()
    if not whole:
        return []
    if name and "/" in name:  # a folder, or a repository of the Hub
        from truerate.detectors.tokens.pretrained import TokenDetector

        weights, _, revision = (name, "", "") if Path(name).is_dir() else name.partition("@")
        network = TokenDetector.from_pretrained(weights, revision=revision or None)
        marked = ((answer, network.mark(answer, reference)) for answer, reference in whole)
        return [_marked(answer, pieces, name, "", network.threshold) for answer, pieces in marked]
    if name is None and path.parent == Path() and not path.exists():
        name = WORD_SUPPORT
    if name in MARKS:
        return [_by_rule(answer, reference, name) for answer, reference in whole]
    if path.parent == Path() and not path.exists():
        raise SettingsError(
            f"detector {name!r} is not known without a project; allowed: {listed(MARKS)}, org/name, a folder; "
            "a trained one is found in the folder that holds params.yaml"
        )
    if path.parent != Path() and not path.is_file():
        raise SettingsError(f"checking texts: no file {str(path)!r}; name the params.yaml of a built project")
    with nullcontext() if path.parent == Path() else chdir(path.parent):
        return _by_trained(whole, name, path.name)


def _whole_pairs(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs, read to their end. Raises TruerateError with the number of the first that is none."""
    if isinstance(pairs, str | bytes) or not isinstance(pairs, Iterable):
        raise TruerateError(
            f"checking texts: pairs is a {type(pairs).__name__}; give (answer, reference) pairs"
        )
    whole = []
    for number, pair in enumerate(pairs, start=1):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            kind = type(pair).__name__ + (f" of {len(pair)}" if isinstance(pair, tuple | list) else "")
            raise TruerateError(f"checking texts: pair {number} is a {kind}; give (answer, reference)")
        answer, reference = pair
        _refuse_empty(answer, "answer")
        _refuse_empty(reference, "reference")
        whole.append((answer, reference))
    return whole


def _name(detector: object) -> str:
    """The name of a detector; of a path object that of the folder, which must be there."""
    name = _path(detector, "detector", "a name, a folder or None")
    if isinstance(detector, str):
        return name
    if not Path(name).is_dir():
        raise TruerateError(f"checking texts: detector: no folder {name!r}")
    return str(Path(name).absolute())


def _path(value: object, name: str, allowed: str) -> str:
    """A name or path as text. Raises TruerateError for what is neither."""
    text = fspath(value) if isinstance(value, str | PathLike) else None
    if not isinstance(text, str) or "\0" in text:
        raise TruerateError(f"checking texts: {name} is {value!r}; it must be {allowed}")
    return text


def _refuse_empty(text: str, what: str) -> None:
    if not isinstance(text, str) or not text.strip():
        raise TruerateError(f"checking the {what} {text!r}: it holds no text; give a text to check")
    if not is_unicode(text):
        raise TruerateError(f"checking the {what}: it holds half of a surrogate pair; give it as UTF-8")


def _by_trained(pairs: Sequence[tuple[str, str]], detector: str | None, params: str) -> list[Marked]:
    """Return what a detector of the project in this folder finds, as trained on the first board that has it."""
    from truerate.config.layout import Layout
    from truerate.detectors.tokens.family import mark_texts, marks_above
    from truerate.pipeline.trained import trained

    config = Layout.load(params)
    board, family, member, wanted = trained(config, detector)
    folder = Path(config.detector(family, board))
    marked = mark_texts(member, pairs, config.p, folder=folder, wanted=wanted)
    if marked is None:
        raise TruerateError(
            f"detector {member!r} on board {board!r} had nothing to learn from; name another with --detector"
        )
    threshold = marks_above(member, folder, wanted)
    pieces_by_pair = zip(pairs, marked, strict=True)
    return [_marked(answer, pieces, member, board, threshold) for (answer, _), pieces in pieces_by_pair]


def _by_rule(answer: str, reference: str, name: str) -> Marked:
    """Return the spans of a rule: of type `absent`, with p 1, for a rule has no probabilities."""
    spans = [
        {"start": start, "end": end, "type": ABSENT, "p": 1.0}
        for start, end in MARKS[name](answer, reference)
    ]
    return Marked(answer, spans, float(bool(spans)), name, "", spans)


def _marked(answer: str, pieces: Sequence[dict], detector: str, board: str, threshold: float) -> Marked:
    spans = whole_words(answer, pieces, threshold)
    largest = max((span["p"] for span in spans), default=0.0)
    return Marked(answer, spans, largest, detector, board, pieces, threshold)
