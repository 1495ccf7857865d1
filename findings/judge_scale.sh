#!/usr/bin/env bash
# A judge is asked for a whole number from 1 to 5 and its decoding is constrained by that JSON Schema.
# One would guess that no engine lets 0, 6, 10 or -3 through: a bound is the whole content of this schema.
# Two of three do: outlines-core and lm-format-enforcer keep the type and forget both bounds, without a word.
# Only llguidance holds the scale. Seen with the versions below in November 2026.
# Why it matters: a mean faithfulness "of 5" can hold a 10, and "constrained" in a paper does not say which scale.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check llguidance==1.9.1 outlines-core==0.2.14 lm-format-enforcer==0.11.3 pydantic==2.13.5
cd "$work" && venv/bin/python - <<'PY'
import json
import re
from importlib.metadata import version

from llguidance import LLMatcher, LLTokenizer
from lmformatenforcer import JsonSchemaParser
from outlines_core.json_schema import build_regex_from_schema

for name in ("llguidance", "outlines-core", "lm-format-enforcer"):
    print(name, version(name))
SCALE = {"type": "integer", "minimum": 1, "maximum": 5}
TRIED = ["-3", "0", "1", "2", "3", "4", "5", "6", "10"]


def llguidance(text):
    tokenizer = LLTokenizer("byte")
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_json_schema(json.dumps(SCALE)))
    tokens = tokenizer.tokenize_str(text)
    return matcher.validate_tokens(tokens) == len(tokens) and matcher.consume_tokens(tokens) and matcher.is_accepting()


def outlines(text):
    return bool(re.fullmatch(build_regex_from_schema(json.dumps(SCALE)), text))


def enforcer(text):
    parser = JsonSchemaParser(SCALE)
    for letter in text:
        if letter not in parser.get_allowed_characters():
            return False
        parser = parser.add_character(letter)
    return parser.can_end()


taken = {engine.__name__: [text for text in TRIED if engine(text)] for engine in (llguidance, outlines, enforcer)}
for engine, texts in taken.items():
    print(f"{engine:12} lets the judge write {' '.join(texts)}")
assert taken["llguidance"] == ["1", "2", "3", "4", "5"], "changed: llguidance"
assert taken["outlines"] == taken["enforcer"] == TRIED, "changed: the bounds are read now"
PY
