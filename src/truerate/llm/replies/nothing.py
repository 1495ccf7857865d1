"""Words that say that a sentence states no fact: a closed list and a small grammar. What is not of it is a fact,
also where it begins with `no` or `none` (`None of the crew survived.`).
"""

import re

_WORDS = frozenset(
    # of English
    "none|no|nil|null|nothing|n/a|na|n.a|not applicable|not any|empty|skip|skipped|not a fact|non-factual|no fact|"
    "opinion|an opinion|opinion only|only an opinion|subjective|subjective opinion|a hedge|hedge|question|"
    "a question|rhetorical question|exclamation|an exclamation|no claim|zero facts|0 facts|nothing checkable|"
    # of the languages of the boards
    "keine|keiner|keins|kein fakt|keine fakten|nichts|entfällt|aucun|aucune|aucun fait|rien|néant|ninguno|ninguna|"
    "ningún hecho|nada|nessuno|nessuna|nessun fatto|nulla|nenhum|nenhuma|nenhum fato|geen|geen feiten|niets|yok|"
    "hiçbiri|bilgi yok|brak|нет|нет фактов|无|沒有|没有|无事实|なし|該当なし|없음|لا يوجد|لا شيء|कोई नहीं|inga|ingen".split("|")
)
_KIND = r"(?:atomic |verifiable |factual |checkable |specific |concrete |new |real |such |independent |additional |objective )*"
_THING = r"(?:facts?|claims?|statements?|information|content|assertions?|factual (?:content|information))"
_WHERE = r"(?: (?:in|from|by|within) (?:this|the|that) sentence| here)?"
_TAIL = (
    r"(?: (?:is|are|was|were|can be|could be|to be))?(?: (?:stated|given|found|present|presented|extracted|made|"
    r"available|listed|reported|provided|contained|identified|expressed|to (?:state|extract|report|list|give|check)))?"
)
_SUBJECT = r"(?:(?:this|that|the)(?: sentence)?(?: \d+)?|it|sentence \d+) "
_NO_FACT = rf"(?:no|not? any|zero|without|without any) {_KIND}{_THING}"
_GRAMMAR = re.compile(
    rf"(?:there (?:is|are) )?{_NO_FACT}{_TAIL}{_WHERE}"
    rf"|{_SUBJECT}(?:has|holds?|contains?|states?|gives?|makes?|expresses|includes?|offers?) {_NO_FACT}{_WHERE}"
    rf"|{_SUBJECT}(?:does not|doesn't) (?:state|contain|hold|make|give|include|express) (?:a|any) {_KIND}{_THING}"
    rf"|(?:{_SUBJECT})?(?:is|are) (?:only |just |purely |merely )?(?:an?|not an?) (?:subjective |personal |rhetorical |"
    rf"verifiable |checkable )?(?:opinion|hedge|question|exclamation|fact|remark|judge?ment|evaluation)"
    rf"|nothing (?:{_KIND})?(?:is |was )?(?:to (?:state|extract|report|list|check|verify|add|note|say)|stated|factual|"
    rf"verifiable|checkable|given|found|claimed)(?: (?:in this sentence|here))?"
)
# words with which a reply speaks of the sentence, behind a `none`
_ABOUT = re.compile(
    r"\b(?:opinions?|sentences?|hedg\w+|questions?|subjective|facts?|factual|claims?|statements?|readers?|evaluat\w+|"
    r"judge?ment|filler|transition\w*|check\w*|verif\w+|stated?|exclamation|advice|invitation|recommendation)\b"
)
_DASHES = re.compile(r"[-–—‐−∅/\\Øø∕]{1,3}")


def says_nothing(text: str) -> bool:
    """Whether an entry says that there is no fact, in words of the list, with or without the reason behind."""
    plain = re.sub(r"\s+", " ", text.replace("’", "'").casefold()).strip()
    if _DASHES.fullmatch(plain):
        return True
    bare = plain.strip(" .!*_`'\"“”„()[]（）【】。")
    if bare in _WORDS or _GRAMMAR.fullmatch(bare):
        return True
    found = re.match(r"[(\[]?(?:none|no facts?|n/a|nothing|opinion)[)\]]?\s*(?:[-–—:;,.(/]|because\b|as\b|since\b)\s*", plain)
    if found is None:
        return False
    rest = plain[found.end() :].strip(" .!)")
    return rest in _WORDS or bool(_GRAMMAR.fullmatch(rest)) or bool(_ABOUT.search(rest))
