#!/usr/bin/env bash
# A verdict is constrained by {"type": "string", "pattern": "^yes|no$"}, as people write it for "yes or no".
# One would guess either the two words (as meant) or, read by the letter of the standard, what begins with yes or ends in no.
# Each engine gives another language: llguidance also takes "yesterday" and "casino", lm-format-enforcer the two words,
# outlines-core neither "yes" nor "no" but the torsos "yes and no" with one quotation mark: no reply is JSON. No engine says anything.
# Why it matters: the same schema file on two servers measures two things. Seen with the versions below in November 2026.
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
VERDICT = {"type": "string", "pattern": "^yes|no$"}
TRIED = ["yes", "no", "yesterday", "casino", "maybe"]
TORSOS = ['"yes', 'no"']


def llguidance(text):
    tokenizer = LLTokenizer("byte")
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_json_schema(json.dumps(VERDICT)))
    tokens = tokenizer.tokenize_str(text)
    return matcher.validate_tokens(tokens) == len(tokens) and matcher.consume_tokens(tokens) and matcher.is_accepting()


def outlines(text):
    return bool(re.fullmatch(build_regex_from_schema(json.dumps(VERDICT)), text))


def enforcer(text):
    parser = JsonSchemaParser(VERDICT)
    for letter in text:
        if letter not in parser.get_allowed_characters():
            return False
        parser = parser.add_character(letter)
    return parser.can_end()


taken = {engine.__name__: [text for text in TRIED if engine(json.dumps(text))] for engine in (llguidance, outlines, enforcer)}
for engine, texts in taken.items():
    print(f"{engine:12} takes {texts}")
print("outlines-core's expression:", build_regex_from_schema(json.dumps(VERDICT)), "takes", [text for text in TORSOS if outlines(text)])
assert taken["llguidance"] == ["yes", "no", "yesterday", "casino"], "changed: llguidance"
assert taken["enforcer"] == ["yes", "no"], "changed: lm-format-enforcer"
assert taken["outlines"] == [] and all(map(outlines, TORSOS)), "changed: outlines-core"
PY
