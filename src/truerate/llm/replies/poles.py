"""Words that say of one of two texts that it is the one that was asked for, or that it is not, by what was asked."""

from truerate.llm.replies.lexicon import FAULT

# what says of a text that it is not the one that was asked for
OTHER_POLE = {
    "hallucinated": r"(?<!un)(?:without\s+(?:any\s+)?hallucination|correct|right|accurate|true|faithful|"
    r"supported|consistent|fine|good|better|(?<!non-)(?<!non)factual|grounded|truthful|sound|ok(?:ay)?|verified|"
    r"best|free|plausible|clos(?:er|est)\s+to)\b",
    "best": r"\b(?:wrong|incorrect|implausible|hallucinated|worse|bad|off|inferior|odd|too\s+long|false)\b",
    None: r"(?!)",
}
# what says of a text that it is the one
OWN_POLE = {
    "hallucinated": rf"hallucinat|{FAULT}|\berrors?\b|\bwrong|contradict|made[ -]up|\bfalse|incorrect|invent|fabricat|"
    r"\boff\b|mistake|unsupported|inaccura",
    "best": r"\b(?:better|best|more|most|closer|closest|nearer|nearest|plausible|natural|convincing|believable|"
    r"wins?|fits|preferable|stronger|"
    r"harder\s+to\s+(?:detect|spot|notice|tell)|besser|beste[rns]?|meilleure?|mejor|migliore|melhor|beter|beste|"
    r"лучш\w*|en\s+iyi|daha\s+iyi|"
    r"my\s+(?:\w+\s+)?(?:pick|choice|selection|vote))\b|更好|最好|最佳|更(?:合理|合适|自然|可信|贴切|恰当)|より良い|最も|أفضل|더\s?(?:낫|좋|정확|자연스)",
}
