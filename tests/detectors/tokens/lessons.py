"""A small set to learn from: invented towns in English and Chinese, answers with planted errors, wordings
that training never sees.
"""

import polars as pl

from truerate.config import Backbone
from truerate.core.keys import draw
from truerate.core.schemas import SPANS

SYLLABLES = ["ka", "lo", "mi", "ru", "te", "vor", "shan", "del", "pi", "nu", "gar", "fe"]
SIGNS = dict(zip(SYLLABLES, "卡洛米鲁特沃山德皮努加费", strict=True))
CRAFTS = {
    "en": ["glass", "rope", "paper", "clocks", "boats", "lace"],
    "zh": ["玻璃", "绳索", "造纸", "钟表", "木船", "花边"],
}
# told: the reference · said: true sentences with one slot · made up: whole sentences, by wording; the last
# wordings are never taught
TOLD = {
    "en": ["The town of {s} was founded in {y}.", "{s} lies on the river {r}.", "Its people make {c}."],
    "zh": ["{s}镇建于{y}年。", "{s}位于{r}河畔。", "当地居民制作{c}。"],
}
SAID = {
    "en": [
        ["{s} was founded in {y}.", "{s} stands on the {r}.", "They make {c} there."],
        ["In {y} {s} began.", "The {r} runs by {s}.", "{c} come from {s}."],
    ],
    "zh": [
        ["{s}始建于{y}年。", "{s}靠近{r}河。", "那里出产{c}。"],
        ["{y}年有了{s}。", "{r}河流经{s}。", "{s}以{c}闻名。"],
    ],
}
MADE_UP = {
    "en": [
        [
            "A dragon guards its gate.",
            "Every roof there is painted blue.",
            "Its mayor once swam to the moon.",
            "Nobody may whistle after noon.",
        ],
        ["Wolves run the bakery on Sundays.", "A golden ladder leads into the clouds."],
    ],
    "zh": [
        ["城门由一条龙守护。", "每个屋顶都漆成蓝色。", "镇长曾经游到月亮上。", "中午以后禁止吹口哨。"],
        ["狼群在星期天经营面包店。", "一架金梯通往云端。"],
    ],
}


def backbone(**changes) -> Backbone:
    """A tiny network that learns in seconds."""
    values = {"weights": "tiny", "mask": "prefix", "features": ["match", "alignment", "telling"]}
    values |= {"max_tokens": 256, "learning_rate": 4e-3, "weight_decay": 0.01, "batch": 16, "accumulation": 1}
    values |= {"token_budget": 4096, "epochs": 50, "max_steps": 50, "checkpoint_steps": 10}
    return Backbone.model_validate(values | changes)


def lessons(n: int, *, wording: int = 0, langs=("en", "zh"), k: int = 2, start: int = 0) -> pl.DataFrame:
    """A passages frame: `k` answers to each of `n` references per language, every name new."""
    rows = [row(lang, start + i, j, wording) for lang in langs for i in range(n) for j in range(k)]
    return pl.DataFrame(rows, schema_overrides={"spans": SPANS})


def row(lang: str, i: int, j: int, wording: int) -> dict:
    """One answer: each sentence is true, has a wrong value, or is made up."""
    stated = facts(lang, i, "told")
    text, spans = "", []
    for part, (sentence, key) in enumerate(zip(SAID[lang][wording], "yrc", strict=True)):
        wrong = {key: facts(lang, i, f"wrong {j}")[key]} if draw("wrong", i, j, part) < 0.3 else {}
        if wrong.get(key) == stated[key]:
            wrong = {}
        judged = sentence.format(**(stated | wrong))
        spans += [span(len(text) + judged.index(wrong[key]), wrong[key], "entity")] if wrong else []
        text += judged + (" " if lang == "en" else "")
        if draw("made up", i, j, part) < 0.3:
            lies = MADE_UP[lang][wording]
            lie = lies[int(draw("lie", i, j, part) * len(lies))]
            spans.append(span(len(text), lie, "invented"))
            text += lie + (" " if lang == "en" else "")
    reference = (" " if lang == "en" else "").join(sentence.format(**stated) for sentence in TOLD[lang])
    name = f"{lang}-{i}"
    ids = {"target_id": f"{name}-{j}-{wording}", "item_id": name, "group_id": f"town {i}"}
    fixed = {"lang": lang, "task": "train", "reference": reference}
    return ids | fixed | {"text": text.strip(), "spans": spans}


def facts(lang: str, i: int, which: str) -> dict:
    """The values of a town's slots."""

    def name(what: str) -> str:
        parts = [SYLLABLES[int(draw(what, i, which, n) * len(SYLLABLES))] for n in range(3)]
        return "".join(map(SIGNS.get, parts)) if lang == "zh" else "".join(parts).title()

    craft = CRAFTS[lang][int(draw("craft", i, which) * len(CRAFTS[lang]))]
    year = 1000 + int(draw("year", i, which) * 900)
    return {"s": name("town"), "r": name("river"), "y": str(year), "c": craft}


def span(start: int, text: str, kind: str) -> dict:
    """A labelled span."""
    return {"start": start, "end": start + len(text), "type": kind, "p": None}
