"""The sentences that decide between two texts, as patterns: of each question one, in which a sign stands for each text
(`comparisons.signed`). What their groups hold is what `deciding` reads.
"""

import re

from truerate.core.patterns import lazy

_X = r"(?P<{}>[\x01\x02])"
_NOUN = r"(?:one|answer|response|summary|choice|option|candidate|text|version|pick|selection)"
_IS = r"(?:is|was|seems|appears|looks|would\s+be|should\s+be|must\s+be|has\s+to\s+be|remains)"
_MUCH = (
    r"(?:(?:clearly|slightly|much|far|therefore|thus|hence|definitely|simply|overall|the|a|an|by\s+far|also|still|certainly|obviously|"
    r"actually|indeed|then|to\s+be|my|our|your|only)\s+)*"
)
_MORE = (
    r"(?:more|most)\s+(?:\w+ly\s+)?(?:accurate|faithful|reliable|plausible|convincing|natural|correct|factual|"
    r"consistent|truthful|trustworthy|"
    r"precise|grounded|believable|credible|likely)"
)
OWN = {
    "best": rf"(?:better|best|preferable|to\s+be\s+preferred|preferred|superior|stronger|strongest|"
    rf"(?<=the\s)(?:safer|safest|wiser)|winner|winning|{_MORE})",
    "hallucinated": r"(?:(?:(?:more|most)\s+likely\s+(?:to\s+be\s+)?(?:the\s+)?)?(?:hallucinated|fabricated|made[ -]up|faulty|unfaithful|"
    r"non-?factual|unsupported|hallucinating))",
}
# with an article alone: `the right one`, of which there is one
_THE = {
    "best": r"(?:right|correct|accurate|faithful|factual|sound|truthful|supported)",
    "hallucinated": r"(?:wrong|incorrect|inaccurate|false|erroneous|bad)",
}
_WITH = {
    "best": r"(?:(?:without|with\s+no|free\s+(?:of|from))\s+(?:any\s+)?(?:\w+\s+)?(?:hallucinat\w+|errors?|mistakes?|"
    r"fabricat\w+|information)|"
    r"(?:that|which)\s+(?:does\s+not|doesn't)\s+(?:contain|include|have)\s+(?:any\s+)?(?:hallucinat\w+|errors?|"
    r"fabricat\w+|made[ -]up\s+\w+))",
    "hallucinated": r"(?:(?:with|containing|(?:that|which)\s+(?:contains?|has|includes?))\s+(?:the|an?|some|"
    r"any)?\s*(?:\w+ly\s+)?(?:\w+\s+)?(?:hallucinat\w+|errors?|fabricat\w+|"
    r"mistakes?|made[ -]up\s+\w+|false\s+\w+|unsupported\s+\w+|non-?factual\s+\w+)(?:\s+(?:content|information|"
    r"details?|claims?))?|(?:that|which)\s+is\s+(?:hallucinated|fabricated|made[ -]up))",
}
_HAS = (
    r"(?:contains|has|includes|holds)\s+(?:the|an?|some)?\s*(?:\w+\s+)?(?:hallucinat\w+|"
    r"fabricat\w+)(?:\s+(?:content|information|details?|claims?))?"
)
_FOREIGN = {
    "best": r"(?:ist|est|es|é|è|is)\s+(?:die\s+|la\s+|le\s+|el\s+|de\s+|o\s+|a\s+|il\s+)?(?:besser|beste|meilleure?|mejor|melhor|"
    r"migliore|beter)(?:re)?|(?:比\s*[\x01\x02]\s*)?是?(?:更好|最好|最佳|更(?:准确|合理|合适|自然|可信|贴切|恰当))的?|(?:이|가)?\s*더\s*(?:낫|좋|정확|자연스)\S*|(?:(?:значительно|гораздо)\s+)?лучше|の方が\S*(?:優れ|良|よ|正確|適切)\S*|(?:هي\s+)?(?:ال)?أفضل",
    "hallucinated": r"(?:enthält|contient|contiene|contém|bevat)\s+(?:(?:die|eine|une|la|una|un|l'|l’|uma|de|een|"
    r"a)\s*)?(?:\w*halluzination\w*|hallucinat\w*|alucina\w*|allucina\w*|"
    r"hallucinatie)|(?:ist|est|es|é|è|is)\s+(?:die\s+|la\s+|el\s+|o\s+|a\s+|l'|l’)?(?:halluziniert|hallucinée?|alucinad[oa]|gehallucineerd)|(?:包含|含有|存在|有)(?:了)?幻觉",
}
_ABROAD = {  # in other languages, before the name
    "best": r"(?:(?:la|el|le|il|a|o|die|das|der|de)\s+(?:mejor|bessere|beste|meilleure?|migliore?|miglior|"
    r"melhor)\s+\w+|(?:mejor|beste|meilleure?|migliore?|melhor)\s+\w+(?=\s*:)|лучший\s+\w+|(?:我的)?(?:选择|答案)是|選択は|(?:更好|最好|最佳)的?(?:答案|回答|摘要|选择)?(?:是|(?=\s*:)))",
    "hallucinated": r"(?:(?:la|el|le|il|a|o|die|das|der|de)\s+\w+\s+(?:\w+\s+){0,3}(?:hallucin\w+|alucin\w+|"
    r"allucin\w+|halluzin\w+)|halluziniert\s+ist|(?:la|el|le|il|a|o|die|das)\s+(?:alucinad[ao]|hallucinée?|allucinat[ao]|halluzinierte)(?=\s+(?:es|ist|est|è|é)\b)|галлюцинац\w+\s+(?:содержится|есть)\s+в|"
    r"(?:我的)?选择是|選択は|(?:包含|含有)幻觉的(?:答案|回答|摘要)?是)",
}
_CHOSEN = (
    r"(?:(?:i(?:'d|\s+would|\s+will|'ll|\s+have\s+to|'m\s+going\s+to)?\s+)?(?:therefore\s+|rather\s+|still\s+|"
    r"then\s+)?(?:pick|choose|select|prefer|take|go(?:ing)?\s+(?:with|for)|opt\s+for|vote\s+for|"
    r"settle\s+on|favou?r|side\s+with)|(?:i'm|i\s+am)\s+going\s+with|"
    r"(?:(?:my|your|the)\s+)?(?:final\s+|best\s+)?(?:choice|pick|vote|selection|verdict|decision|judge?ment|conclusion|final|"
    r"(?<=my\s)answer|(?<=your\s)answer|(?<=the\s)answer|(?<=final\s)answer)\s*(?:is|:|would\s+be|should\s+be|"
    r"goes\s+to|has\s+to\s+be|falls\s+on)|"
    r"it(?:'s|\s+is|\s+has\s+to\s+be|\s+must\s+be|\s+should\s+be|'d\s+be|\s+would\s+be))"
)
_SO = (
    r"(?:so|thus|hence|therefore|but|and|yet|overall|consequently|accordingly|in\s+(?:conclusion|summary|short|sum)|"
    r"all\s+in\s+all|as\s+a\s+result|for\s+(?:this|that)\s+reason|because\s+of\s+(?:this|that)|"
    r"on\s+balance|ultimately|finally|still|then|(?:which|this|that)\s+means(?:\s+that)?|it\s+follows\s+that|"
    r"(?:and\s+)?i\s+(?:think|believe|find|feel|conclude|(?:would|'d)\s+say|say)(?:\s+that)?|i'd\s+say(?:\s+that)?|"
    r"in\s+my\s+(?:view|opinion)|of\s+the\s+two(?:\s+\w+)?|between\s+the\s+two(?:\s+\w+)?|to\s+me|if\s+i\s+(?:must|"
    r"had\s+to|have\s+to)(?:\s+(?:choose|pick|decide|say))?(?:\s+one)?|我认为|我觉得)"
)
_LEADS = rf"(?P<ahead>.*?(?:[,:;—–]\s+|\s-\s))??(?P<so>(?:{_SO}\s*[,:]?\s+|(?:因此|所以|我认为|我觉得|したがって|よって)[,、]?\s*)*)"
_TAIL = (
    r"(?:\s*[,;:(—–-]*\s*(?P<tail>\b(?:because|since|as|given|for|due\s+to|despite|in\s+spite\s+of|which|whose|over|rather\s+than|"
    r"instead\s+of|and\s+not|not|while|whereas|than\s+[\x01\x02]|by\s+far|by\s+a|in\s+(?:every|all|my|this|both\s+\w+\s+and\s+\w+)|instead|here|weil|da|denn|car|parce|"
    r"porque|puisque|pois|pues|ya\s+que|perché|poiché|omdat|want|ponieważ|çünkü|overall|of\s+the\s+two)\b.*|[,，]?(?:因为|由于).*|\(.*\)|(?<=[:—–])[^\x01\x02]*))?"
)


def _form(asks: str) -> re.Pattern[str]:
    """The sentences that decide, for one question."""
    own, the, with_, foreign = OWN[asks], _THE[asks], _WITH[asks], _FOREIGN[asks]
    has = rf"|{_HAS}" if asks == "hallucinated" else ""
    picks = "|".join((
        rf"{_X.format('named')}(?:\s+[^,;:\x01\x02]{{1,80}}\s+and(?=\s+is\b))?(?:['’]s\s+|"
        rf"\s+{_IS}\s+){_MUCH}(?:{own}(?:\s+{_NOUN})?(?:\s+{with_})?|"
        rf"(?<=the\s){the}\s+{_NOUN}|{_NOUN}\s+{with_})",
        rf"{_X.format('holds')}\s+(?:(?:clearly|definitely|actually|therefore|thus)\s+)?(?:{_FOREIGN['best']}|wins|"
        rf"(?:beats|outperforms|outdoes)\s+[\x01\x02](?:\s+(?:in|on)\s+(?:terms\s+of\s+)?\w+(?:\s+(?:and\s+)?\w+)?(?=\s*[:;(—–]|\W*\Z))?|"
        rf"gets\s+my\s+vote|fits\b[^.]*?\bbest{has}|{foreign})"
        if asks == "best" else rf"(?:(?:die|das|la|le|el|il|o|a|de|het)\s+)?{_X.format('holds')}\s*(?:(?:clearly|"
            rf"definitely|actually|therefore|thus)\s+)?(?:{foreign}{has})",
        rf"{_MUCH}(?:{own}|{the})(?:\s+{_NOUN})?(?:\s+of\s+the\s+two(?:\s+\w+)?|\s+here|\s+overall)?\s*(?:{_IS}|:|=)\s*(?:clearly\s+|"
        rf"definitely\s+|therefore\s+|thus\s+)?{_X.format('told')}",
        rf"the\s+{_NOUN}\s+{with_}\s+{_IS}\s+{_X.format('which')}",
        rf"{_X.format('go')}\s+{_IS}\s+(?:{_MUCH}(?:(?<=my\s)|(?<=the\s)|(?<=our\s))(?:pick|choice|favou?rite|"
        rf"selection)|the\s+one\s+(?:to\s+(?:go\s+with|choose|pick|take)|i(?:'d|\s+would)?\s+"
        rf"(?:choose|pick|trust|go\s+with)))",
        rf"(?:i(?:'d|\s+would)?\s+)?(?:believe|find|consider|think|judge|mark|label|flag|classify|call|rate|"
        rf"deem)\s+{_X.format('deemed')}\s+(?:to\s+be\s+)?(?:as\s+)?{_MUCH}(?:{own}|(?<=the\s){the})(?:\s+{_NOUN})?",
        rf"(?:that|this|which)\s+makes\s+{_X.format('made')}\s+{_MUCH}(?:{own}|{the})(?:\s+{_NOUN})?",
        rf"{_ABROAD[asks]}\s*(?:es|ist|est|è|é|is|—|–|-|:|は)?\s*(?:(?:la|le|el|il|a|o|die|das|de)\s+)?{_X.format('abroad')}(?:\s*です)?",
        *((rf"the\s+(?:hallucinat\w+|fabricat\w+|error|mistake|made[ -]up\s+\w+)\s+(?:is|lies|occurs|"
            rf"can\s+be\s+found)\s+in\s+{_X.format('place')}",)
          if asks == "hallucinated" else ()),
        rf"{_CHOSEN}\s*{_X.format('chosen')}(?:\s+(?:that|which|who)\s+(?:is|contains|includes|fabricates|introduces|contradicts|conflicts|does|adds|"
        rf"states|goes|gets|has|makes|invents)\b[^\x01\x02]*)?",
        rf"only\s+{_X.format('only')}\s+{_IS}\s+{_MUCH}(?:{own}|{the})(?:\s+(?:by|with|in|to)\s+[^\x01\x02]{{1,60}})?",
        rf"(?:(?:my|the|your)\s+)?final:?\s+{_X.format('final')}",
        rf"(?:→|=>|->|⇒)\s*{_X.format('arrow')}",
        rf"i(?:'m|\s+am)\s+changing\s+my\s+(?:choice|answer|pick|mind|vote)\s+to\s+{_X.format('changed')}",
        rf"{_X.format('it')}\s+it\s+is",
        rf"(?:scelgo|elijo|je\s+choisis|ich\s+wähle|escolho|ik\s+kies|я\s+выбираю|我选(?:择)?|私は)\s*{_X.format('picked')}",
        rf"{_X.format('bare')}",
    ))  # fmt: skip
    return lazy(rf"{_LEADS}(?:{picks}){_TAIL}", re.I)


FORMS = {asks: _form(asks) for asks in OWN}
