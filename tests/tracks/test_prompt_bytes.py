"""The bytes of every built-in prompt, for stand-in values: whoever edits a template sees that replies already
paid for will be asked again.

Lines of a template may be broken without a trace by a comment that holds the line's end: `{#`, then `#}`.
"""

import hashlib
import json

import pytest
from jinja2 import Environment, meta

from truerate.llm import prompts

FOUND = sorted(prompts.TRACKS.glob("*/prompts/*.j2"))
DIGESTS = {
    "halueval/contrast_dialogue": "1d088b556c3e25d7",
    "halueval/contrast_qa": "ae9643215f8a9604",
    "halueval/contrast_summarization": "542347845b0f24a0",
    "halueval/conversational_dialogue": "c43191dcf00dee06",
    "halueval/conversational_qa": "2b195acc554d8238",
    "halueval/conversational_summarization": "118748399e881412",
    "halueval/filter_dialogue": "575118e3193747bf",
    "halueval/filter_qa": "f9cfc60e4578b846",
    "halueval/filter_summarization": "41b188315568b481",
    "halueval/one_pass_dialogue": "d10d64642d173856",
    "halueval/one_pass_qa": "c5370fdd878cb39e",
    "halueval/one_pass_summarization": "a61c11a20118f147",
    "halueval/recognise_dialogue": "e66bf9c5a129e88f",
    "halueval/recognise_general": "63163f04e7986a95",
    "halueval/recognise_qa": "13dffbe20c2311f6",
    "halueval/recognise_summarization": "004229c2d13a7ef3",
    "halueval/refine_dialogue": "d31b313d95a81d7e",
    "halueval/refine_general": "cb51732be895b8be",
    "halueval/refine_qa": "8886f42b379347b3",
    "halueval/refine_summarization": "fb950f6d5eac5e12",
    "halueval/remind_choice": "598772871810060a",
    "halueval/remind_verdict": "2471f9d3face94c3",
    "halludial/annotate": "4e676847bca66240",
    "halludial/compare": "ca35955c35edb96e",
    "halludial/detect": "467891c10572fa91",
    "halludial/induce": "b789eb01ccf418ed",
    "halludial/locate": "382386fff000fc61",
    "halludial/match": "99bfddfc0c1f02a5",
    "halludial/meta": "8ab47d22ddc8fefe",
    "halludial/remind_accuracy": "d7aa8217cf9b4bcf",
    "halludial/remind_choice": "b9dc110703565e0a",
    "halludial/remind_induced": "8642365da7f2c8ac",
    "halludial/remind_located": "240d21c73fa60b8c",
    "halludial/remind_verdict": "31b03d679be4407f",
    "halludial/respond": "1ddb6f29c558fa41",
    "mfava/answer": "d85c34821a8cc072",
    "mfava/check": "233c8176a129e862",
    "mfava/insert": "45bb711bdb645f97",
    "mfava/query": "1e93706741faae14",
    "mfava/translate": "258f3d159f9bba0a",
    "mfava/write": "369edb5ff4072901",
    "wildhallucinations/disambiguate": "591364cdbca4c9c9",
    "wildhallucinations/domain": "a0f6ea2271ec5860",
    "wildhallucinations/extract": "19ab56c6bcfbb1e2",
    "wildhallucinations/remind_disambiguate": "1d6cc7aa354b9abb",
    "wildhallucinations/remind_domain": "a1d62ecf21503be8",
    "wildhallucinations/remind_extract": "30235137fda896d7",
    "wildhallucinations/remind_verify": "6a5010203900bfca",
    "wildhallucinations/remind_verify_facts": "6a51a1bfdadaa3d6",
    "wildhallucinations/remind_write_facts": "0a2fa1ffe3088f02",
    "wildhallucinations/verify": "29c7c03dd46a0f56",
    "wildhallucinations/verify_facts": "ba41d66e7f0fb5be",
    "wildhallucinations/write_facts": "d76f3c302432090b",
}


class StandIn:
    """A value that a template can print, walk through, index and compare; all its answers are `is_true`."""

    def __init__(self, name: str, is_true: bool, depth: int = 0):
        self.name, self.is_true, self.depth = name, is_true, depth

    def _part(self, name: object) -> "StandIn":
        return StandIn(f"{self.name}.{name}", self.is_true, self.depth + 1)

    def __str__(self):
        return self.name

    def __bool__(self):
        return self.is_true

    def __eq__(self, other):
        return self.is_true

    __lt__ = __gt__ = __le__ = __ge__ = __contains__ = __eq__
    __hash__ = None

    def __len__(self):
        return 2

    def __iter__(self):
        return iter((self._part(0), self._part(1)))

    def __getitem__(self, key):
        return self._part(key)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self._part(name)

    def __call__(self, *given):
        return self._part("of")


def digest(track: str, name: str) -> str:
    """The digest of a prompt's messages, once with every condition true and once with every one false."""
    source = (prompts.TRACKS / track / "prompts" / f"{name}.j2").read_text("utf-8")
    environment = Environment()
    environment.filters["fence"] = str
    names = sorted(meta.find_undeclared_variables(environment.parse(source)))
    digests = [
        prompts.render(track, name, None, **{variable: StandIn(variable, is_true) for variable in names})
        for is_true in (True, False)
    ]
    return hashlib.sha256(json.dumps(digests, ensure_ascii=False).encode()).hexdigest()[:16]


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parts[-3]}/{path.stem}")
def test_a_prompt_keeps_its_bytes(path):
    track = path.parts[-3]
    assert digest(track, path.stem) == DIGESTS[f"{track}/{path.stem}"]


def test_every_prompt_is_written_down():
    assert set(DIGESTS) == {f"{path.parts[-3]}/{path.stem}" for path in FOUND}
