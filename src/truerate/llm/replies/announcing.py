"""What announces a text that was asked for, or tells of it behind, beside the words of `candidates`: announcements
in other languages than English, lines of signs, headings of an analysis, a turn of the other speaker.
"""

import re

from truerate.core.patterns import lazy

# words of other languages by which a text is called false
_FAULT = (
    r"halluzin|falsch|erfunden|hallucin|faux|fausse|inventé|alucina|fals[aeio]\b|inventa[dn]?|errad|allucina|"
    r"sbaglia|inventat|verzonnen|fout|"
    r"uydur|yanlış|галлюцин|неверн|ложн|выдум|幻觉|错误|捏造|虚构|编造|幻覚|誤り|هلوسة|خاطئ|환각|틀"
)
_HERE = (
    r"(?:以下|下面|这是|這是|次は|次が|다음은|여기|إليك|هذه|هذا|işte|вот|ниже|voici|ci-dessous|hier\s+(?:ist|sind|kommt)|"
    r"aquí\s+(?:tienes|está|va)|ecco|di\s+seguito|aqui\s+está|segue|यहाँ|यह)"
)
_MADE = (
    r"(?:答案|回答|摘要|总结|總結|回复|回覆|应答|応答|要約|답변|응답|요약|إجابة|الإجابة|ملخص|cevap|yanıt|özet|ответ|резюме|réponse|"
    r"résumé|antwort|zusammenfassung|respuesta|resumen|risposta|riassunto|resposta|resumo|उत्तर|सारांश)"
)
# `Voici une réponse hallucinée : …`, with the text behind it or on the next line
_YES_SIR = (
    r"(?:natürlich|klar|gerne?|sicher|selbstverständlich|okay|bien\s+sûr|d'accord|certainement|claro(?:\s+que\s+sí)?|por\s+supuesto|"
    r"certo|certamente|natuurlijk|конечно|хорошо|tabii(?:\s+ki)?|elbette|oczywiście|当然|好的|没问题|もちろん(?:です)?|はい|"
    r"承知しました|물론(?:입니다|이죠)?|네|بالتأكيد|بالطبع)"
)
FOREIGN_PREAMBLE = lazy(
    rf"\A[\s*_#>¡]*(?:{_YES_SIR}\s*[!.,，。！、]+\s*)?(?:{_HERE}[^\n:：]{{0,60}}?{_MADE}[^\n:：]{{0,40}}|"
    rf"(?:eine?|une?|una?|uma?|一个)\s*[^\n:：.]{{0,60}}?{_MADE}\s*(?:wäre|ist|lautet|serait|est|sería|es|seria|sarebbe|"
    rf"è|é|是)\s*)[:：][\s*_]*(?=\S)",
    re.I,
)
# a heading of the text in one of them: `Korrigierte Antwort: …`
FOREIGN_HEAD = lazy(
    r"\A[\s*_#>]*(?:[^\W\d_]{3,20}[ \t]+|[\u3040-\u30ff\u4e00-\u9fff]{1,6})?(?!response\b|answer\b|summary\b)"
    rf"{_MADE}(?:[ \t]+[^\W\d_]{{3,20}})?[ \t*_#]*[:：][\s*_]*(?=\S)",
    re.I,
)
_PICTURE = r"[\u2600-\u27bf\U0001f300-\U0001faff]"
PICTURES = lazy(rf"\A(?:{_PICTURE}\ufe0f?[ \t]*)+\n\s*(?=\S)")
# what else than the heading's own word stands before the noun
OTHER_KINDS = (
    "Fabricated", "Made-up", "Fake", "False", "Wrong", "Incorrect", "Corrected", "Revised", "Rewritten", "Modified", "Next",
    "Plausible", "Final",
)  # fmt: skip
# another speaker's turn before one's own
OTHER_TURN = lazy(
    r"\A[\s*_]*\[?(?:human|user)\]?[\s*_]*[:：][^\n]*\n+[\s*_]*(?=\[?(?:assistant|ai|bot|chatbot|model)\]?[\s*_]*[:：])",
    re.I,
)
# the question before its answer, where an answer was asked for
ECHOED = lazy(r"\A[\s*_]*(?:q|question)[\s*_]*[:：][^\n]*\n+(?=[\s*_]*(?:a|answer)[\s*_]*[:：])", re.I)
BOXED = lazy(r"\A[\s$\\(\[]*\\(?:boxed|text\w*)\s*\{.*\}[\s$\\)\].]*\Z", re.DOTALL)
# a heading of an analysis, lines of ticks, what was changed into what
TOLD_BEHIND = lazy(
    r"\n\s*(?:#{1,6}[ \t]*|\*\*[ \t]*)(?:analysis|explanation|notes?|reason(?:ing)?|rationale|justification|key\s+changes?|"
    r"changes?(?:\s+made)?|comments?)[ \t:*]*\n.*\Z"
    r"|\n\s*[*_#>( ]*(?:hallucinated|false|incorrect|fabricated|changed)\s+(?:parts?|details?|elements?|segments?|spans?|facts?)"
    r"[\s*_]*[:：].*\Z"
    rf"|\s*[【（(\[]\s*(?:{_FAULT})[^】）)\]\n]{{0,40}}[】）)\]]\s*\Z"
    r"|\n\s*\[end\b[^\]\n]{0,30}\]\s*\Z"
    r"|\n\s*[\u2705\u274c\u2714\u2718\u26a0].*\Z"
    r"|\n\s*[*_(\[]*(?:corrected|changed)\b[^\n]{0,100}(?:→|->|=>)[^\n]*\Z",
    re.I | re.DOTALL,
)
# a question back to the one who asks, in place of a text
# words about the task in place of a text; no turn of a dialogue speaks so
_WOULD = (
    r"i(?:'ll|\s+will|\s+would|'d|(?:'m|\s+am)\s+going\s+to|\s+need\s+to|\s+want\s+to|\s+have\s+to)\s+(?:first\s+|now\s+)?"
    r"(?:write|create|generate|produce|make\s+up|invent|change|replace|swap|alter|add|rewrite|correct|refine|fabricate|introduce|insert)"
)
OF_TASK = lazy(
    r"\W*(?:what|which)\s+(?:kind|type|sort)\s+of\s+hallucination\b[^\n]{0,120}\?\W*|"
    r"\W*(?:should|shall|do|would|could|can|must)\b[^\n?]{0,80}\bhallucinat\w*[^\n?]{0,120}\?\W*|"
    # what the writer would do: `I will write a response that names a wrong author.`
    rf"\W*(?:(?:sure|certainly|of\s+course|ok(?:ay)?|understood)\W+)?(?:{_WOULD}\b[^\n]{{0,160}}\b(?:hallucinat\w*|answer|response|summary|"
    r"knowledge|document|source|(?:wrong|false|incorrect)\s+\w+)\b[^\n]{0,80}|to\s+(?:write|make|create|produce|generate|give|correct|refine|"
    rf"hallucinate)\b[^.\n]{{0,40}}\b(?:hallucinated|false|wrong|corrected)\b[^.\n]{{0,40}},\s+{_WOULD}\b[^\n]{{0,240}})",
    re.I,
)
ASKS_BACK = lazy(
    r"\W*(?:what|which|how)\s+(?:\w+\s+){0,3}?(?:would\s+you\s+like\s+me|shall\s+i|should\s+i|can\s+i\s+(?:help|"
    r"assist|do))\b[^\n]{0,100}\?\W*|"
    r"\W*i\s+(?:do\s+not|don't|can't|cannot)\s+see\s+(?:any|a|the)\s+(?:document|text|question|dialogue|source|passage|article)\b[^\n]{0,200}|"
    r"\W*(?:(?:sure|certainly|of\s+course|ok(?:ay)?)\W+)?(?:i(?:'d|\s+would)\s+be\s+(?:happy|glad)\s+to\s+(?:help|assist)\W+)?(?:please|kindly)\s+"
    r"(?:provide|share|send|give|paste)\s+(?:me\s+)?(?:with\s+)?the\s+(?:\w+\s+)?(?:document|summary|question|dialogue|source|passage|answer|text|knowledge)\b"
    r"[^\n]{0,100}|"
    r"\W*(?:do\s+you\s+(?:want|mean|prefer)|would\s+you\s+(?:like|prefer)|"
    r"could\s+you\s+(?:please\s+)?tell\s+me\s+(?:which|what|whether))\b[^\n]{0,160}\?\W*|"
    r"\W*(?:could|can|would)\s+you\s+(?:please\s+)?(?:clarify|specify|provide|share|"
    r"tell\s+me)\b[^\n]{0,80}\b(?:hallucinat\w+|document|context|source|question|"
    r"knowledge|passage|answer)\b[^\n]{0,160}\?\W*",
    re.I,
)
_GIVEN = (
    r"(?:you(?:'ve|\s+have|'d|\s+had)?\s+)?(?:asked|requested|wanted|needed|need|want|instructed)(?:\s+for)?"
)
_REPLY = r"(?:answer|reply|response|output|result|judge?ment|verdict|decision|evaluation|assessment|conclusion|classification|label|word)"
_HANDED = (
    r"(?:here|there)\s+you\s+(?:go|are)|here\s+(?:it\s+)?(?:is|comes|goes)(?:\s+it)?|"
    rf"here(?:'s|\s+is|\s+comes)\s+(?:what\s+{_GIVEN}|(?:the|my|your|an?)\s+(?:[\w-]+\s+){{0,2}}?{_REPLY}\s+(?:that\s+|as\s+)?{_GIVEN}|"
    rf"my\s+{_REPLY}|(?:the|my|your|an?)\s+(?:single[- ]word|one[- ]word|short|brief|required|requested|final|own)\s+{_REPLY})|"
    rf"as\s+{_GIVEN}|as\s+per\s+(?:your|the)\s+(?:instructions?|request|format|rules?)|"
    r"tl\s*;?\s*dr|bottom\s+line|(?:the\s+)?short\s+(?:answer|version)|long\s+story\s+short|simply\s+put|to\s+sum\s+(?:it\s+)?up|"
    r"in\s+(?:a\s+nutshell|one\s+word|a\s+single\s+word|short|brief|sum|summary)"
)
# a line of its own above a text; with the text behind a colon where it can be no part of one
TEXT_BELOW = lazy(
    r"\A[\s*_#>]*(?:(?:sure(?:\s+thing)?|certainly|of\s+course|ok(?:ay)?|alright|gladly|understood|got\s+it)\s*[!.,]+\s*)?"
    rf"(?:(?:{_HANDED})\s*[*_]*[:—–-][\s*_]*(?=\S)|(?:{_HANDED}|how\s+about\s+(?:this|the\s+following)(?:\s+one)?|"
    r"(?:i(?:'d|\s+would|\s+will|'ll)|let\s+me)\s+(?:write|go\s+with|say|offer|suggest|answer)(?:\s+(?:one|this|it|"
    r"with\s+this|the\s+following))?|"
    r"following\s+(?:the|your)\s+(?:\w+\s+)?(?:instructions?|rules?|format|pattern|examples?))[*_]*\s*[.:!][ \t*_]*\n\s*)",
    re.I,
)
