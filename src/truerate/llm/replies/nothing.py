"""Words that say that a sentence states no fact: closed lists of words. What is not of it is a fact,
also where it begins with `no` or `none` (`None of the crew survived.`).
"""

import re

from truerate.core.patterns import lazy

_WORDS = frozenset(
    # of English
    "none|no|nil|null|nothing|n/a|na|n.a|not applicable|not any|empty|skip|skipped|not a fact|non-factual|no fact|"
    "opinion|an opinion|opinion only|only an opinion|subjective|subjective opinion|a hedge|hedge|question|"
    "a question|rhetorical question|exclamation|an exclamation|no claim|zero facts|0 facts|nothing checkable|"
    # of the languages of the boards
    "keine|keiner|keins|kein fakt|keine fakten|nichts|entfällt|aucun|aucune|aucun fait|rien|néant|ninguno|ninguna|"
    "ningún hecho|nada|nessuno|nessuna|nessun fatto|nulla|nenhum|nenhuma|nenhum fato|geen|geen feiten|niets|yok|"
    "hiçbiri|bilgi yok|brak|нет|нет фактов|无|沒有|没有|无事实|なし|該当なし|없음|لا يوجد|لا شيء|कोई नहीं|inga|ingen".split(
        "|"
    )
)
# Words in which a reply speaks of the sentence and of facts as such. A fact names its subject, so one that has no
# other word, and one of the second list, states nothing: `does not contain any facts`, `not a factual statement`.
_OF_SENTENCES = frozenset(
    "a an any the this that it its is are was were be been being can could does do did has have there here in of from by to for as "
    "at and or with only just merely purely simply rather so sentence sentences fact facts factual fact-based claim claims statement "
    "statements information content assertion assertions detail details atomic verifiable checkable specific concrete new real such "
    "independent additional objective explicit stated state states contain contains containing hold holds include includes make makes "
    "made give gives given express expresses offer offers provide provides provided present presented found extract extracted extractable "
    "list listed report reported identified identifiable check checked verify verified worth author author's writer writer's speaker "
    "text reader readers personal general vague own about itself".split()
)
_OF_NOTHING = frozenset(
    "no not none nothing cannot can't isn't doesn't don't without zero lacks lack opinion opinions opinionated subjective question "
    "questions rhetorical exclamation exclamatory hedge hedged evaluation evaluative judgement judgment non-factual nonfactual "
    "promotional emotional feeling feelings remark recommendation advice invitation filler transition sentiment".split()
)
# words with which a reply speaks of the sentence, behind a `none`
_ABOUT = lazy(
    r"\b(?:opinions?|sentences?|hedg\w+|questions?|subjective|facts?|factual|claims?|statements?|readers?|evaluat\w+|"
    r"judge?ment|filler|transition\w*|check\w*|verif\w+|stated?|exclamation|advice|invitation|recommendation)\b"
)
_DASHES = lazy(r"[-–—‐−∅/\\Øø∕]{1,3}")


def says_nothing(text: str) -> bool:
    """Whether an entry says that there is no fact, in words of the list, with or without the reason behind."""
    plain = re.sub(r"\s+", " ", text.replace("’", "'").casefold()).strip()
    if _DASHES.fullmatch(plain):
        return True
    bare = plain.strip(" .!*_`'\"“”„()[]（）【】。")
    if bare in _WORDS or _is_of_sentences(bare):
        return True
    result = re.match(
        r"[(\[]?(?:none|no facts?|n/a|nothing|opinion)[)\]]?\s*(?:[-–—:;,.(/]|because\b|as\b|since\b)\s*",
        plain,
    )
    if result is None:
        return False
    rest = plain[result.end() :].strip(" .!)")
    return rest in _WORDS or bool(_ABOUT.search(rest))


def _is_of_sentences(plain: str) -> bool:
    """Whether words speak of sentences and facts as such alone, and deny, or name an opinion or the like."""
    stated = re.findall(r"[\w'-]+", plain)
    is_listed = all(word in _OF_SENTENCES or word in _OF_NOTHING or word.isdecimal() for word in stated)
    return is_listed and any(word in _OF_NOTHING for word in stated)
