"""Whether a reply declines what it was asked to write, in its first sentences.

A refusal says that the writer cannot, will not or may not *write or help* (a closed list of verbs), or that the
request cannot be met, or that writing falsehoods is against something. An apology alone is none, nor is not
knowing or not remembering (a partner in a dialogue says that too), nor a title that begins so (`I Can't Help
Myself`, `Sorry is a song by …`). Languages: English, German, French, Spanish, Italian, Portuguese, Dutch,
Polish, Swedish, Norwegian, Danish, Finnish, Czech, Ukrainian, Romanian, Hungarian, Greek, Hindi, Thai, Vietnamese,
Indonesian, Turkish, Russian, Chinese, Japanese, Korean, Arabic.
"""

import re
from functools import lru_cache

from truerate.core.patterns import lazy
from truerate.core.text import sentences
from truerate.llm.replies.cutting import visible
from truerate.llm.replies.normalizing import unemphasised

_FALSE = (
    r"(?:false|fake|untrue|wrong|incorrect|inaccurate|misleading|fabricat\w*|hallucinat\w*|made[- ]up|"
    r"invented|"
    r"misinformation|disinformation|falsehoods?|lies?|lying|fictitious|deceptive|deceiv\w*|dishonest|mislead)"
)
_WRITE = (
    r"(?:write|create|generate|produce|make\s+(?:up|things\s+up)|invent|fabricate|compose|craft|supply|"
    r"hallucinate|draft|"
    r"lie(?!,)|deceive|mislead|spread|rewrite|refine)"
)
_GIVE = (
    r"(?:provide|give|offer|state|share|answer|present|do|correct|continue|engage|participate|proceed|"
    r"go\s+along|take\s+part|support)"
)
_THAT = (
    rf"(?:(?:\w+\s+){{0,5}}?{_FALSE}\b|(?:that|this|these|such|it|so|(?:the|your|this|that)\s+(?:request|"
    rf"task|instruction|prompt))"
    r"(?=\s*(?:[.,!;]|$|(?:with|for|request|kind|type|task|here|as|because|since|but|without|an?)\b)))"
)
_HELP = (
    r"(?:(?:help|assist)(?!\s+(?:but\b|\w+ing\b|myself|it\b))|comply|fulfil+|accommodate|complete\s+(?:this|"
    r"that|the|your)|honou?r)"
)
_CAN_NOT = (
    r"(?:cannot|can't|can\s+not|could\s+not|couldn't|won't|will\s+not|would\s+not|wouldn't|am\s+(?:unable|"
    r"not\s+able|not\s+(?:allowed|permitted|willing|going))\s+to|"
    r"'m\s+(?:unable|not\s+able|not\s+(?:allowed|permitted|willing|going))\s+to|do\s+not|don't|must\s+not|"
    r"mustn't|may\s+not|shouldn't|should\s+not|"
    r"'d\s+rather\s+not|would\s+rather\s+not|(?:'d\s+|would\s+)?prefer\s+not\s+to|refuse\s+to|decline\s+to|"
    r"do\s+not\s+feel\s+comfortable|don't\s+feel\s+comfortable)"
)
_ENGLISH = (
    # I cannot help, write … · I can't do that · I won't.
    rf"\bi\s*(?:am\s+afraid\s+(?:that\s+)?i\s*|"
    rf"'m\s+afraid\s+(?:that\s+)?i\s*)?{_CAN_NOT}\s+(?:\w+ly\s+|in\s+good\s+(?:conscience|"
    rf"faith)\s+)?(?:be\s+able\s+to\s+)?(?:{_HELP}|"
    rf"{_WRITE}\b|{_GIVE}\s+(?:\w+\s+)?{_THAT}|writing|creating|making\s+up|inventing|providing|giving|"
    rf"generating|producing|adding)",
    rf"\bi\s*{_CAN_NOT}\s+(?:correct|revise|fix|edit|rewrite|refine)\s+(?:this|the|that|your|such\s+an?)\s+(?:\w+\s+)?"
    r"(?:response|answer|summary|text|passage|statement)\b",
    r"\bi\s*(?:cannot|can't|won't|will\s+not|refuse|decline)\s*(?:[.!]|$)",
    # I cannot answer. · I can't provide an answer
    r"\bi(?:'m|\s+am)?\s*(?:cannot|can't|can\s+not|unable\s+to|not\s+able\s+to)\s+(?:answer\s*(?:[.!]|$)|(?:provide|give|offer)\s+"
    r"(?:you\s+)?(?:an|any)\s+answer\b)",
    rf"\bi\s+(?:do\s+not|don't)\s+think\s+(?:that\s+)?i\s+(?:should|can|could|ought\s+to)\s+(?:{_HELP}|{_WRITE}\b|"
    rf"{_GIVE}\s+(?:\w+\s+)?{_THAT})",
    r"\bi(?:'d|\s+would)\s+(?:rather|prefer\s+to)\s+(?:give|provide|offer|share|stick)\s+(?:\w+\s+){0,3}?"
    r"(?:correct|accurate|right|true|factual|truth\w*)\b",
    r"\bi(?:'ll|\s+will)\s+have\s+to\s+(?:pass\s+on\s+(?:this|that)|decline|refuse)\b",
    r"\b(?:lamento|siento)\s+no\s+poder\b|\b(?:lamento|sinto\s+muito)\s+não\s+poder\b|"
    r"\bmi\s+dispiace\s+(?:di\s+)?non\s+poter|\bregrette\s+de\s+ne\s+pas\s+pouvoir\b",
    # without a subject: `Unable to comply.` · `Sorry, can't help with that.`
    rf"\A\W*(?:sorry|apologies)?[\s,.!—–-]*(?:but\s+)?(?:can't|cannot|can\s+not|unable\s+to|not\s+able\s+to|won't)\s+"
    rf"(?:{_HELP}|{_WRITE}\s+(?:\w+\s+){{0,3}}?{_FALSE}|{_GIVE}\s+(?:\w+\s+)?{_THAT})",
    rf"\bi\s*{_CAN_NOT}\s+(?:add|include|insert|introduce)\s+(?:\w+\s+){{0,4}}?(?:{_FALSE}|errors?|mistakes?)\b",
    # As an AI language model, I cannot provide …
    rf"\A\W*(?:(?:i'm\s+|i\s+am\s+)?sorry\W+(?:but\s+)?)?(?:as|being)\s+an?\s+(?:ai|artificial\s+intelligence|(?:large\s+)?language\s+model)\b"
    rf"[^.,]{{0,40}},?\s+i\s*{_CAN_NOT}\s+(?:be\s+able\s+to\s+)?(?:{_WRITE}|{_GIVE})\b",
    # I am not able to continue this conversation; not a partner who has to leave, or goes on with `without …`
    rf"\bi\s*{_CAN_NOT}\s+(?:be\s+able\s+to\s+)?(?:continue|carry\s+on|go\s+on|proceed|engage|take\s+part|participate)\s+(?:with\s+|in\s+)?"
    r"(?:this|the|our|such\s+an?)\s+(?:\w+\s+)?(?:conversation|dialogue|dialog|discussion|chat|role[- ]?play)\s*(?:[.;!]|$)",
    # I am unable to provide a response
    r"\bi(?:'m|\s+am)?\s*(?:cannot|can't|unable\s+to|not\s+able\s+to|won't|will\s+not)\s+(?:provide|give|generate|offer)\s+"
    r"(?:an?|any|such\s+an?)\s+(?:response|paraphrase)\b",
    r"\bi(?:'m|\s+am)?\s+(?:going\s+to\s+)?(?:must|have\s+to|need\s+to|will|"
    r"would\s+have\s+to)\s+(?:respectfully\s+|politely\s+)?(?:(?:decline|refuse|pass)(?=\s*(?:[.,;:!]|$|to\b|on\b|this\b|"
    r"that\b|such\b|as\b|because\b|since\b|(?:the|your)\s+(?:request|task|instruction|prompt)))|leave\s+(?:this|it|"
    r"that)\s+(?:undone|out|aside|unwritten))",
    r"\bi(?:'m|\s+am)\s+not\s+comfortable\s+(?:with\s+)?(?:writing|creating|making|inventing|providing|producing|generating|giving|"
    r"doing)",
    r"\bi(?:'ll|\s+will|\s+would|'d)\s+(?:rather\s+)?refrain\s+from\s+(?:it|this|that|doing|writing|giving|providing|inventing)\b",
    rf"\A\W*i(?:'d|\s+would)\s+be\s+(?:happy|glad)\s+to\s+(?:help|assist)\s+(?:you\s+)?with\b[^.]{{0,80}}\bbut\s+(?:i\s+)?(?:not|can't|cannot|won't)\b"
    rf"[^.]{{0,60}}?{_FALSE}",
    r"\A\W*refused\s*[:—–-]\s*\w",
    r"\bi\s+(?:respectfully\s+|politely\s+)?(?:refuse|decline)\s+(?:to\b|this|that|the\s+request)",
    r"\b(?:writing|inventing|making\s+up|fabricating|creating|producing)\s+(?:\w+\s+){0,4}(?:is|"
    r"isn't)\s+(?:nothing|not\s+something|something)\s+(?:that\s+)?i\s+(?:do|can|will|won't|don't|never|"
    r"avoid|refuse)",
    r"\b(?:writing|inventing|making\s+up|fabricating|creating|producing|generating|providing)\s+(?:\w+\s+){0,4}"
    r"(?:isn't|is\s+not)\s+something\s+(?:that\s+)?i(?:'m|\s+am)\s+(?:comfortable|willing|able|prepared)",
    r"\A\W*(?:(?:i'm\s+|i\s+am\s+)?sorry|apologies|unfortunately)\W+(?:but\s+)?(?:that|this|it)(?:'s|\s+is)\s+(?:outside|beyond)"
    r"\s+(?:of\s+)?(?:what\s+i\s+(?:can|am\s+able\s+to|will)\s+(?:do|help|provide)|my\s+(?:capabilities|abilities|scope))",
    r"\bmy\s+(?:\w+\s+)?(?:guidelines?|principles?|polic(?:y|ies)|values|training|instructions|"
    r"programming)\s+(?:do\s+not|don't|does\s+not|prevents?|forbids?|prohibits?|will\s+not)",
    # I strive for accuracy and will not fabricate an answer · I only give truthful information
    rf"\bi\s+(?:always\s+)?(?:strive|aim|try|am\s+(?:made|designed|trained|built|programmed))\b[^.]{{0,80}}?\b(?:and|so|hence)\s+(?:i\s+)?"
    rf"(?:cannot|can't|can\s+not|will\s+not|won't|do\s+not|don't)\s+(?:\w+ly\s+)?{_WRITE}\b",
    r"\A\W*(?:sorry\W+(?:but\s+)?)?i\s+(?:can\s+|will\s+|may\s+)?only\s+(?:give|provide|share|offer|write|produce|"
    r"state)\s+(?:\w+\s+and\s+)?"
    r"(?:truthful|accurate|factual|correct|true|honest|verified)\b",
    # of itself in the third person
    rf"\A\W*(?:the|this)\s+(?:ai\s+)?(?:assistant|model|language\s+model|ai|system)\s+(?:declines\s+to|refuses\s+to|"
    rf"cannot|can't|will\s+not|"
    rf"won't|is\s+(?:unable|not\s+able)\s+to)\s+(?:{_HELP}|{_WRITE}\s+(?:\w+\s+){{0,3}}?{_FALSE}|{_GIVE}\s+(?:\w+\s+)?{_THAT})",
    # the request, and writing falsehoods
    r"\b(?:request|task|instruction|prompt)\s+(?:cannot|can't|can\s+not|could\s+not|will\s+not|"
    r"won't)\s+be\s+(?:fulfilled|completed|met|carried\s+out|processed|done|followed|answered|granted|"
    r"honou?red)",
    r"\A\W*(?:your\s+|this\s+|the\s+)?(?:request\s+)?(?:is\s+|was\s+|has\s+been\s+)?(?:refused|declined|"
    r"denied|refusal)\W*\Z",
    rf"\b(?:writing|creating|providing|generating|producing|inventing|making\s+up|stating|spreading|"
    rf"fabricating|giving)\b[^.]{{0,60}}?(?:{_FALSE}|facts|answers?|information|"
    rf"things)\b[^.]{{0,30}}?\b(?:is|are|would(?:\s+not)?\s+be|goes|go|violates?|conflicts?)\s*(?:against|"
    rf"not\s+(?:be\s+)?(?:something|what|in|within|"
    rf"appropriate|possible|ethical|allowed|permitted|right|ok(?:ay)?|acceptable|responsible|honest|proper|my|helpful)\b|"
    rf"outside|unethical|harmful|out\s+of|something\s+(?:that\s+)?(?:cannot|can't)|with\b|my\b|the\b|"
    rf"(?:in)?appropriate|misleading|deceptive|wrong|irresponsible|dishonest|impossible|prohibited|forbidden)",
    rf"\bit\s+(?:would\s+not|wouldn't|would\s+n't|is\s+not|isn't)\s+(?:be\s+)?(?:right|appropriate|ethical|"
    rf"possible|responsible|honest|ok(?:ay)?|acceptable|proper)\s+(?:for\s+me\s+)?to\s+(?:{_WRITE}|"
    rf"{_GIVE})\b",
    rf"\bit\s+(?:would\s+be|is)\s+(?:unethical|inappropriate|irresponsible|dishonest|improper|wrong)\s+"
    rf"(?:for\s+me\s+)?to\s+(?:{_WRITE}|{_GIVE})\b",
    rf"\bno\s+(?:such\s+)?(?:{_FALSE})?\s*(?:answer|response|summary|text|information|statement|"
    rf"version)\s+(?:will|can|is\s+going\s+to|shall)\s+be\s+(?:\w+\s+)?(?:given|written|provided|produced|"
    rf"created|made|offered)",
    r"\bagainst\s+my\s+(?:\w+\s+){0,2}(?:guidelines?|polic(?:y|ies)|principles?|values|rules|programming)",
    rf"\bagainst\s+(?:\w+\s+){{0,3}}(?:guidelines?|polic(?:y|ies)|principles?|rules)\s+to\s+(?:{_WRITE}|"
    rf"{_GIVE})\b",
    rf"\A\W*{_FALSE}\s+(?:answers?|responses?|summaries|information|contents?|statements?|"
    rf"texts?)\s+(?:will\s+not|won't|cannot|can't|can\s+not|shall\s+not)\s+be\s+",
    rf"\b{_FALSE},?\s+(?:and\s+|which\s+|that\s+)?i\s+(?:cannot|can't|won't|will\s+not|do\s+not|"
    rf"don't)\s+(?:provide|write|give|create|make|produce|offer)\b",
    rf"\b(?:request|task|instruction|prompt)\s+asks\s+(?:me\s+)?(?:for|to)\s+(?:\w+\s+){{0,3}}?{_FALSE}",
    r"\A\W*i(?:'d|\s+would)\s+(?:rather|prefer)\s+not\s*(?:[:.;!]|$)",
    rf"\A\W*(?:that|this|it)(?:'s|\s+is)\s+something\s+(?:that\s+)?i(?:'d|\s+would)\s+(?:rather|"
    rf"prefer)\s+not\s+(?:to\s+)?(?:do|{_WRITE}|{_GIVE})\b"
    r"(?=\s*(?:[.,;:!]|$|because\b|since\b|as\b))",
    rf"\A\W*(?:instead\s+of|rather\s+than)\s+(?:{_WRITE}\s+|giving\s+(?:you\s+)?|writing\s+|making\s+up\s+|inventing\s+)?"
    rf"(?:an?\s+|any\s+)?{_FALSE}\b[^.]{{0,60}}?,\s*(?:here\s+is|i(?:'d|'ll|\s+can|\s+could|\s+will|\s+would))\b",
    r"\A\W*(?:sorry|apologies)[,.]?\s*(?:but\s+)?no(?:\s+can\s+do)?\W*\Z",
    r"\A\W*(?:your\s+|this\s+|the\s+)?request\s+(?:is\s+|was\s+)?(?:refused|declined|denied)\s*[:.;—–-]\s*(?:(?:it|this)\s+)?"
    r"(?:asks|would|requires|violates|goes\s+against|against\s+(?:my|the)|i\s+(?:can|do|will|am))\b",
    rf"\A\W*(?:(?:sorry|apologies|unfortunately|thanks?(?:\s+you)?)\W+(?:but\s+)?)?(?:that|this|it)(?:'s|\s+is)\s+not\s+something\s+(?:that\s+)?i"
    rf"(?:'m|\s+am|'d|\s+would|'ll|\s+will|\s+can|\s+could)\s*(?:going\s+to|willing\s+to|able\s+to|be\s+able\s+to|"
    rf"comfortable|prepared\s+to)?\s*(?:{_WRITE}|{_GIVE}|{_HELP}|writing|doing|creating|making|inventing|providing)",
)  # fmt: skip
_GERMAN = (
    r"(?:helfen|schreiben|erfinden|machen|tun|erstellen|liefern|geben|unterstützen|verfassen|ausdenken|verbreiten|"
    r"weitergeben|angeben|erzeugen|generieren|erfüllen|nachkommen|behilflich)"
)
_FRENCH = r"(?:aider|écrire|rédiger|fournir|inventer|créer|générer|produire|répondre|faire|donner|diffuser|fabriquer)"
_OTHERS = (
    # I refuse
    r"\bich\s+(?:weigere\s+mich|lehne\s+(?:das|dies|es|diese)\b)|\bje\s+refuse\s+(?:de\b|d')|"
    r"\bme\s+niego\s+a\b|\bmi\s+rifiuto\s+di\b|"
    r"\b(?:recuso-me|me\s+recuso)\s+a\b|\bя\s+отказываюсь\b",
    r"\bich\s+(?:schreibe|erfinde|erstelle|verfasse|gebe|mache|liefere|verbreite)\s+(?:\w+\s+){0,2}?keine\s+(?:falschen|erfundenen|unwahren|"
    r"halluzinierten|fehlerhaften)\b|\bje\s+n'(?:écris|invente)\s+(?:pas|aucune?)\b|\bno\s+(?:escribo|invento|genero)\s+\w+\s+fals[oa]s?\b",
    # German
    r"\b(?:tut\s+mir\s+leid|leider|entschuldigung|ich\s+bedaure|verzeihung)\b.*\bich\b.*\b(?:nicht|"
    r"keine?[nmrs]?)\b|\bich\s+(?:kann|werde|darf|möchte|will)\s+(?:\w+\s+){0,6}?(?:nicht|"
    r"keine?[nmrs]?)\s+(?:\w+\s+){0,4}?(?:helfen|schreiben|erfinden|machen|tun|erstellen|liefern|geben|"
    r"unterstützen|verfassen|ausdenken|verbreiten|weitergeben|angeben|erzeugen|generieren|nachkommen)\b",
    rf"(?:\A|[.,!]\s*)(?:das|dies|dabei|damit|hierbei|da|als\s+(?:\w+\s+){{1,4}}?|so\s+etwas|diese[rsn]?\s+\w+)\s*(?:kann|werde|darf|"
    rf"möchte|will)\s+ich\s+(?:\w+\s+){{0,4}}?(?:nicht|keine?[nmrs]?)\s+(?:\w+\s+){{0,4}}?{_GERMAN}\b",
    rf"\bist\s+(?:es\s+)?mir\s+(?:leider\s+)?nicht\s+(?:möglich|erlaubt|gestattet)\b[^.]{{0,80}}?(?:\bzu\s+)?{_GERMAN}\b",
    rf"\bes\s+ist\s+mir\s+(?:leider\s+)?(?:nicht\s+(?:möglich|erlaubt|gestattet)|unmöglich)\b[^.]{{0,80}}?{_GERMAN}\b",
    rf"\b(?:falsche|erfundene|unwahre)[nrs]?\s+\w+\s+(?:zu\s+)?{_GERMAN},?\s+(?:kann|werde|darf|möchte|will)\s+ich\s+nicht\b",
    # the request, and falsehoods, in German, French and Spanish
    r"\A\W*(?:leider\s+)?(?:diese[rs]?|die|ihre?|deine?)\s+(?:anfrage|aufgabe|bitte|anweisung)\s+(?:kann|darf|"
    r"wird)\s+(?:\w+\s+){0,2}?nicht\s+(?:erfüllt|erledigt|ausgeführt|bearbeitet|beantwortet|umgesetzt)\b",
    r"\bich\s+muss\s+(?:das|dies|es|(?:diese|ihre|deine|die)\s+(?:anfrage|aufgabe|bitte|anweisung))\s+(?:leider\s+)?ablehnen\b|"
    r"\bgegen\s+meine\s+(?:richtlinien|grundsätze|prinzipien|regeln|werte)\b|"
    r"\b(?:à\s+l'encontre\s+de|contre|contraires?\s+à)\s+mes\s+(?:principes|règles|valeurs|directives|consignes)\b",
    r"\A\W*(?:falsche|erfundene|unwahre)\s+(?:angaben|antworten|aussagen|informationen|tatsachen|inhalte)\b"
    r"[^.]{0,60}?\b(?:nicht\s+(?:möglich|erlaubt|zulässig|geschrieben|erfunden|gegeben|gemacht|erstellt)|"
    r"gegen\s+(?:meine|die)\s+(?:richtlinien|grundsätze|regeln))\b",
    r"\b(?:cette|votre)\s+(?:demande|requête|tâche)\s+ne\s+peut\s+(?:pas\s+)?être\s+(?:satisfaite|traitée|"
    r"exécutée|honorée|accomplie)\b",
    r"\b(?:esta|la|su|tu)\s+(?:solicitud|petición|tarea)\s+no\s+(?:se\s+puede|puede\s+ser)\s+(?:cumpli|atend|"
    r"realiza|complet)",
    # French
    r"\b(?:désolée?|navrée?|malheureusement|je\s+regrette)\b.*\bne?\W?(?:peux|puis|vais|suis|pourrai)\b|"
    r"\bje\s+ne\s+(?:peux|vais|souhaite|veux|saurais|puis)\s+(?:pas\s+)?(?:vous\s+|t'|y\s+|le\s+|"
    r"la\s+)?(?:aider|écrire|rédiger|fournir|inventer|créer|générer|produire|répondre|faire)\b",
    rf"\bil\s+(?:m'est|ne\s+m'est\s+pas)\s+(?:impossible|possible|permis)\s+de\s+(?:vous\s+)?{_FRENCH}|"
    rf"\bje\s+(?:préfère|préférerais)\s+ne\s+pas\s+{_FRENCH}|"
    rf"\bje\s+ne\s+suis\s+pas\s+(?:en\s+mesure|capable|autorisée?)\s+(?:de\s+|d'|à\s+)(?:vous\s+)?{_FRENCH}|"
    rf"\bje\s+dois\s+(?:malheureusement\s+)?(?:refuser|décliner)\b",
    # Spanish
    r"\b(?:lo\s+siento|lamento|lamentablemente|disculpa|perdón|lo\s+lamento)\b.*\bno\s+(?:puedo|voy|podré|"
    r"me\s+es)\b|(?:\A|[.,]\s*)no\s+(?:puedo|voy\s+a|debo)\s+(?:ayudar|escribir|inventar|crear|generar|"
    r"proporcionar|hacer|producir|cumplir|redactar)",
    r"\bno\s+me\s+es\s+posible\s+(?:ayudar|escribir|inventar|crear|generar|proporcionar|hacer|dar|redactar|cumplir)",
    # Italian
    r"\b(?:mi\s+dispiace|purtroppo|spiacente|scusa)\b.*\bnon\s+(?:posso|potrò)\b|(?:\A|"
    r"[.,]\s*)non\s+posso\s+(?:aiutar|scrivere|inventare|creare|generare|fornire|farlo|fare|produrre)",
    # Portuguese
    r"\b(?:desculpe?|lamento|sinto\s+muito|infelizmente)\b.*\bnão\s+(?:posso|consigo|vou|me\s+é)\b|(?:\A|"
    r"[.,]\s*)não\s+(?:posso|vou|consigo)\s+(?:ajudar|escrever|inventar|criar|gerar|fornecer|fazer|"
    r"produzir)",
    # Dutch, Polish
    r"\b(?:sorry|helaas|het\s+spijt\s+me)\b.*\b(?:kan\s+ik|ik\s+kan|zal\s+ik|ik\s+zal|mag\s+ik|ik\s+mag|"
    r"wil\s+ik|ik\s+wil)\b.*\b(?:niet|geen)\b|\bik\s+(?:kan|zal|mag)\s+(?:\w+\s+){0,4}?(?:niet|"
    r"geen)\s+(?:\w+\s+){0,3}?(?:helpen|schrijven|verzinnen|doen|maken)\b",
    r"\b(?:przepraszam|przykro\s+mi|niestety)\b.*\bnie\s+(?:mogę|będę|potrafię)\b|\Anie\s+(?:mogę|"
    r"będę)\s+(?:\w+\s+){0,2}?(?:pomóc|podać|podawać|udzielić|generować|stworzyć|pisać|napisać|tworzyć|wymyślać|tego)",
    # Swedish, Norwegian, Danish, Finnish
    r"\b(?:tyvärr|beklager|unnskyld|desværre|ursäkta|förlåt|undskyld)\b.*\b(?:kan|vill|kommer|vil)\b.*\b(?:inte|ikke|ikkje)\b|"
    r"\b(?:jag|jeg|eg)\s+kan\s+(?:\w+\s+){0,2}?(?:inte|ikke|ikkje)\s+(?:hjälpa|hjelpe|hjælpe|skriva|skrive)\b|"
    r"\b(?:valitettavasti|pahoittelen)\b.*\ben\s+voi\b",
    # Czech, Ukrainian, Romanian, Hungarian, Greek
    r"\b(?:omlouvám\s+se|bohužel|je\s+mi\s+líto)\b.*\b(?:nemohu|nemůžu|nebudu)\b|"
    r"\b(?:вибачте|на\s+жаль|перепрошую)\b.*\bне\s+(?:можу|буду|зможу)\b|"
    r"\b(?:îmi\s+pare\s+rău|din\s+păcate)\b.*\bnu\s+(?:pot|voi)\b|"
    r"\b(?:sajnálom|sajnos|elnézést)\b.*\bnem\s+(?:tudok|segíthetek|írhatok|lehetséges)\b|"
    r"(?:λυπάμαι|δυστυχώς|συγγνώμη).*\bδεν\s+(?:μπορώ|θα)\b",
    # Hindi, Vietnamese, Indonesian
    r"(?:क्षमा|खेद|माफ़|माफ).*(?:नहीं\s+कर\s+सकत|नहीं\s+दे\s+सकत|असमर्थ|नहीं\s+लिख\s+सकत)|"
    r"\bxin\s+lỗi\b.*\bkhông\s+thể\b|\b(?:maaf|mohon\s+maaf)\b.*\btidak\s+(?:bisa|dapat)\b",
    # Thai
    r"(?:ขออภัย|ขอโทษ|เสียใจ).{0,40}ไม่สามารถ|ไม่สามารถ(?:ช่วย|เขียน|สร้าง|ให้)",
    # Turkish
    r"\b(?:üzgünüm|maalesef|özür\s+dilerim|kusura\s+bakma)\b.*(?:[ae]mam|[ae]mem|[ae]m[ıi]yorum)\b|"
    r"\b(?:yerine\s+getiremem|yardım\s+edemem|sağlayamam|veremem|yazamam|uyduramam|yardımcı\s+olamam|üretemem|yapamam|oluşturamam)\b",
    # Russian
    r"\b(?:извините|простите|к\s+сожалению|прошу\s+прощения|сожалею)\b.*\bне\s+(?:могу|буду|смогу|стану)\b|"
    r"(?:\A|\bя\s+)не\s+(?:могу|буду|стану)\s+(?:\w+\s+)?(?:помочь|писать|написать|выдумывать|создавать|"
    r"создать|придумывать|предоставить|это)",
    # Chinese, Japanese, Korean
    r"(?:抱歉|对不起|很遗憾|不好意思)[，,、。]?\s*(?:但|可是|但是)?(?:我|无法|不能|不会|拒绝).{0,12}(?:无法|不能|不会|拒绝|没办法|提供|协助|帮助|编造|完成|"
    r"满足)|我(?:无法|不能|不会|拒绝)(?:为您|为你)?(?:提供|编造|生成|撰写|写|帮助|协助|这样做|完成|满足|捏造)",
    r"(?:申し訳|すみません|残念ながら|ごめんなさい|恐れ入りますが).*(?:できません(?!でした)|できかね|お断り|いたしかね|できない|お手伝いでき)|(?:お手伝い|作成|生成|提供|対応|お応え|応じること|お受け|"
    r"書くこと|捏造)(?:することは|は)?でき(?:ません|かね)",
    r"(?:嘘|虚偽|偽の|誤った|間違った|架空).{0,30}(?:できません(?!でした)|できかね|いたしかね|いたしません)",
    r"(?:거짓|허위|가짜|잘못된).{0,30}(?:수\s*없습니다|않겠습니다|수\s*없어요)",
    r"(?:죄송|미안|유감).*(?:없습니다|없어요|못합니다|않습니다)",
    # Arabic
    r"(?:آسف|عذر|أعتذر|للأسف).*(?:لا\s+أستطيع|لا\s+يمكنني|لن)|(?:لا\s+أستطيع|"
    r"لا\s+يمكنني)\s+(?:\w+\s+)?(?:مساعد|المساعدة|كتابة|اختلاق|تقديم|إنشاء|ذلك|القيام)",
)  # fmt: skip
_REFUSAL = lazy("|".join(f"(?:{form})" for form in (*_ENGLISH, *_OTHERS)), re.IGNORECASE | re.DOTALL)
# a title, not a sentence: the verb behind the modal has a capital
_TITLE = lazy(r"\bI\s+(?:Can(?:no|')t|Will\s+Not|Won't|Don't)\s+[A-Z]|\A[\"“'«]")
N_SENTENCES = 2  # of the beginning are looked at
MAX_FIRST = 1_000  # characters in which they are sought


@lru_cache(
    maxsize=1_024
)  # a reader asks of a reply, and of what it takes out of it, which mostly are the same
def is_refusal(text: str) -> bool:
    """Whether a text declines what it was asked for: within its first two sentences. False for an empty text."""
    shown = visible(text).replace("\u200c", "").replace("\u200d", "")  # no phrase of the lists holds a joiner
    plain = unemphasised(shown).replace("’", "'").replace("`", "").strip(" \t\n*_#>")
    first = " ".join(" ".join(sentences(plain[:MAX_FIRST])[:N_SENTENCES]).split())[:400]
    if (
        not first
        or _TITLE.match(first)
        or re.search(r"\bI\s+(?:Can't|Cannot|Will\s+Not|Won't|Don't)\s+[A-Z][a-z]", first)
    ):
        return False
    return bool(_REFUSAL.search(first))
