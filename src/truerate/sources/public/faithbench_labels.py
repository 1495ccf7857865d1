"""FaithBench's annotations: what an annotator's labels say of a summary, and the worst of all of them."""

from collections.abc import Iterable

from truerate.sources.rows import BadRow, Reason, Row, label_of

# From the worst to the best. `Unwanted.Intrinsic` and `Unwanted.Extrinsic` are kinds of Unwanted, however the part
# behind the point is spelled; a summary without annotations is consistent.
LABELS = ("Unwanted", "Questionable", "Benign", "Consistent")
UNWANTED, QUESTIONABLE, BENIGN, CONSISTENT = LABELS


def label_in(annotation: Row) -> str | None:
    """The worst of an annotation's labels; None where its list is empty. Raises BadRow for a label that is none."""
    said = annotation.items("label")
    names = [
        label_of(
            one.partition(".")[0] if isinstance(one, str) else one, LABELS[:-1], "a label of an annotation"
        )
        for one in said
    ]
    return worst(names) if names else None


def worst(labels: Iterable[str]) -> str:
    """The worst of some labels; Consistent where there are none."""
    return min(labels, key=LABELS.index, default=CONSISTENT)


def rules(label: str) -> dict[str, bool | None]:
    """A worst label by the rules beside the headline (Unwanted is hallucinated): `rule_clear` counts Unwanted
    against Consistent and no other summary, `rule_strict` Questionable as hallucinated, too.
    """
    is_clear = label in (UNWANTED, CONSISTENT)
    return {
        "rule_clear": label == UNWANTED if is_clear else None,
        "rule_strict": label in (UNWANTED, QUESTIONABLE),
    }


def spans_in(annotations: Iterable[tuple[Row, str]], published: str) -> list[tuple[int, int, str]]:
    """Where annotations stand in the summary as it was published (code points, half-open), with their label;
    those without a place are left out. Raises BadRow where a place does not hold the words that were marked.
    """
    found = []
    for annotation, label in annotations:
        if annotation.values.get("summary_start") is None:
            continue
        start, end = annotation.integer("summary_start"), annotation.integer("summary_end")
        marked = annotation.values.get("summary_span")
        if marked is not None and published[start:end] != marked:
            what = f"annotation {annotation.number}: its words are not what stands at {start}–{end}"
            raise BadRow(Reason.CONTRADICTION, what)
        found.append((start, end, label))
    return found
