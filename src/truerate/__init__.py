"""truerate: benchmarks of LLM hallucination whose numbers can be believed.

`truerate.check(answer, reference)` marks what a reference does not bear out in an answer of your own;
`truerate.rate(data, labels=data)` tells what share of many is hallucinated, `compare(old, new, margin=3)` whether new ones
are worse, `draw_labels(data, 120)` which to label. Data: a file, or a table. Each is loaded when it is first named.
"""

from importlib import import_module

__version__ = "0.1.0"
__all__ = ["check", "compare", "draw_labels", "rate"]
_MODULES = {
    "check": "truerate.pipeline.judges.marking",
    "compare": "truerate.answers.comparing",
    "draw_labels": "truerate.answers.drawing",
    "rate": "truerate.answers.rating",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
