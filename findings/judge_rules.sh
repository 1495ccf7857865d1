#!/usr/bin/env bash
# A schema says: who answers "hallucinated": true must name a span (if/then); the type is not "unknown" (not); no claim twice (uniqueItems).
# One would guess that an engine of constrained decoding either enforces a rule or refuses the schema, since a rule that is
# dropped cannot be seen in any reply. llguidance does refuse, by name; outlines-core and lm-format-enforcer take the schema
# and let each rule be broken, in silence. A $ref with bounds beside it loses them in the same two.
# Why it matters: verdicts without the span that the protocol asks for. Seen with the versions below in November 2026.
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
FLAG = {"hallucinated": {"type": "boolean"}, "span": {"type": "string"}}
NEEDS_SPAN = {"if": {"properties": {"hallucinated": {"const": True}}}, "then": {"required": ["span"]}}
GRADE = {"$defs": {"n": {"type": "integer"}}, "type": "object", "required": ["grade"]}
RULES = {  # name: (schema, a reply that breaks it)
    "if/then": ({"type": "object", "properties": FLAG, "required": ["hallucinated"], **NEEDS_SPAN}, '{"hallucinated":true}'),
    "not": ({"type": "string", "not": {"const": "unknown"}}, '"unknown"'),
    "uniqueItems": ({"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": True}, '["a","a"]'),
    "$ref + maximum": ({**GRADE, "properties": {"grade": {"$ref": "#/$defs/n", "maximum": 5}}}, '{"grade":9}'),
}


def llguidance(schema, text):
    tokenizer = LLTokenizer("byte")
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_json_schema(json.dumps(schema)))
    if matcher.get_error():
        return "refuses the schema"
    tokens = tokenizer.tokenize_str(text)
    return "broken" if matcher.validate_tokens(tokens) == len(tokens) else "enforced"


def outlines(schema, text):
    return "broken" if re.fullmatch(build_regex_from_schema(json.dumps(schema)), text) else "enforced"


def enforcer(schema, text):
    parser = JsonSchemaParser(schema)
    for letter in text:
        if letter not in parser.get_allowed_characters():
            return "enforced"
        parser = parser.add_character(letter)
    return "broken" if parser.can_end() else "enforced"


for rule, (schema, reply) in RULES.items():
    outcome = [engine(schema, reply) for engine in (llguidance, outlines, enforcer)]
    print(f"{rule:15} llguidance: {outcome[0]:20} outlines-core: {outcome[1]:9} lm-format-enforcer: {outcome[2]}")
    assert outcome[0] == ("enforced" if rule == "$ref + maximum" else "refuses the schema"), "changed: llguidance"
    assert outcome[1:] == ["broken", "broken"], "changed: a rule is read now"
PY
