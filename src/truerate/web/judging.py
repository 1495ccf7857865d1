"""What a text that was read off a page is worth: nothing, an invitation to sign in, an error in place of a page,
or something to hold claims against.
"""

import re
from collections.abc import Iterable

from truerate.core.text import clean, n_words, spaced
from truerate.web.outcomes import Outcome, Text

SIGN_IN_WORDS = 120  # a longer text that mentions signing in has something else to say as well
ERROR_WORDS = 60  # likewise of errors and walls
# What stands in place of a page whose status says that it came: an error, a check of the browser, a wall of cookies.
_IN_PLACE = re.compile(
    r"\b(?:40[0-9]|410|429|50[0-4])\b\W{0,3}(?:error|not found|forbidden|unauthori[sz]ed|gone|too many|bad gateway|service unavailable)"
    r"|\b(?:error|fehler|erreur)\W{0,3}(?:40[0-9]|410|429|50[0-4])\b"
    r"|\bpage (?:you (?:requested|are looking for|were looking for)|not found|does(?: not|n't) exist|no longer exists|isn't available)"
    r"|\bpage (?:could not|couldn't|can't|cannot) be found|\baccess (?:to this (?:page|site) )?(?:is |has been )?denied\b"
    r"|\b(?:do not|don't) have permission to (?:access|view)|\b(?:site|service|page) is (?:temporarily |currently )?(?:unavailable|down)\b"
    r"|\b(?:internal server error|bad gateway|account (?:has been )?suspended|domain (?:is|may be) for sale|index of /)"
    r"|\bjust a moment\.\.\.|\bchecking (?:if the site connection|your browser)|\b(?:enable|requires?|turn on) (?:javascript|cookies)\b"
    r"|\bjavascript (?:is|must be) (?:disabled|required|enabled)|\bverify(?:ing)? (?:that )?you(?: a|')re (?:a )?human"
    r"|\b(?:complet\w+|solve) the captcha"
    r"|\b(?:unusual traffic|are you a robot|(?:not|n't) a robot|ddos protection by)\b"
    r"|\bseite (?:wurde )?nicht gefunden|\bpage introuvable|\bpágina no encontrada|\bpagina (?:non trovata|niet gevonden)"
    r"|страница не найдена|页面不存在|页面未找到|ページが見つかりません|페이지를 찾을 수 없습니다",
    re.IGNORECASE,
)

# A wall asks for consent in most of what it says; a page has a note on cookies at its foot.
_OF_CONSENT = re.compile(
    r"\bcookies?\b|\bconsent\b|\bprivacy\b|\b(?:accept|reject|manage)\b.{0,12}\b(?:all|preferences|choices)\b",
    re.I,
)
_WALL_SHARE = 0.6  # of its words, in sentences that speak of that


def _is_wall(text: str) -> bool:
    """Whether a text asks for consent to cookies and says little else."""
    sentences = [spaced(one).split() for one in re.split(r"[.!?。！？।\n]+", text)]
    asking = sum(len(sentence) for sentence in sentences if _OF_CONSENT.search(" ".join(sentence)))
    return asking > 0 and asking >= _WALL_SHARE * sum(map(len, sentences))


def judged(
    text: str,
    title: str,
    dated: str | None,
    sign_in_phrases: Iterable[str] = (),
    *,
    licence: str | None = None,
) -> Text:
    """A text with its outcome: empty, one that only asks to sign in, one that only says why there is no page, or ok."""
    if not text:
        return Text(Outcome.EMPTY, title=title)
    plain = f"{title} {text}".casefold()
    if n_words(text) <= SIGN_IN_WORDS:
        for phrase in sign_in_phrases:
            if phrase.casefold() in plain:
                return Text(Outcome.SIGN_IN, title=title, detail=phrase)
    if n_words(text) <= ERROR_WORDS:
        if found := _IN_PLACE.search(plain.replace("’", "'")):
            return Text(Outcome.ERROR_PAGE, title=title, detail=found[0])
        if _is_wall(text):
            return Text(Outcome.ERROR_PAGE, title=title, detail="cookies")
    return Text(Outcome.OK, text, title, dated, licence)


def tidy(text: str) -> str:
    """A text cleaned, with single spaces and line breaks."""
    lines = (" ".join(line.split()) for line in clean(text).splitlines())
    return "\n".join(line for line in lines if line)
