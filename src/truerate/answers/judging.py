"""What a detector says of each answer: a rule, a trained detector, weights, or a model asked zero-shot."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from truerate.answers.rules import RULES, WORD_SUPPORT
from truerate.answers.verdicts import JUDGE, NO_REFERENCE, AnswerVerdict, Detector, Spans
from truerate.core.errors import SettingsError, listed
from truerate.core.process.project import PARAMS, is_settings
from truerate.core.spans.whole_words import MARKED, whole_words
from truerate.sources.answers.reading import Answer

if TYPE_CHECKING:
    from truerate.config import Published
    from truerate.config.layout import Layout
    from truerate.llm.request import Estimate, Request

PROMPTS = Path(__file__).parent / "prompts"
ROOM, PROMPT, CUE = "own_answers", "judge", "Yes or No"
DECODING = {"temperature": 0.0, "max_tokens": 64}


def detector_of(named: str | None, *, adapter: str | None = None, params: str = PARAMS) -> Detector:
    """The detector of a name: a rule, `judge:MODEL`, FOLDER or HUB-ID[@commit], or a trained one of the
    project. None: `judge:` with the first declared model that is no simulated one, else word support.

    Raises TruerateError where there is none of that name.
    """
    if named is None:
        return _usual(params)
    if adapter is not None and (named in RULES or named.startswith(JUDGE)):
        raise SettingsError(
            f"--adapter {adapter!r} is for weights, and --detector {named!r} has none; leave it out"
        )
    if named in RULES:
        return Detector(
            named, RULES[named].about, lambda answers: [_by_rule(named, answer) for answer in answers]
        )
    if named.startswith(JUDGE):
        config = _layout(params)
        alias = named.removeprefix(JUDGE)
        if config.p.endpoints[config.p.model(alias).endpoint].is_simulated:
            raise SettingsError(_no_judge(alias, _real_models(params)))
        judge = _where_referred(lambda answers: judged(answers, alias, config))
        return Detector(named, "asked zero-shot", judge, says_where=False)
    if adapter is not None or "/" in named or (named and Path(named).is_dir()):
        how, why = _published(named, adapter), "weights that were trained elsewhere"
        return Detector(named, why, _where_referred(lambda answers: _by_weights(named, how, answers)))
    _check_trained(named, params)
    return Detector(
        named, "trained in this project", _where_referred(lambda answers: _by_trained(named, answers, params))
    )


def _no_judge(alias: str, real: Sequence[str]) -> str:
    """Return why a simulated model is refused, and who may judge."""
    usage = (
        f"; declared ones of your own: {listed(real)}"
        if real
        else f"; declare a model of your own in {PARAMS}"
    )
    return (
        f"--detector '{JUDGE}{alias}': {alias} is simulated, knows the closed world alone and cannot "
        f"judge your texts{usage}"
    )


def _check_trained(named: str, params: str) -> None:
    """Raise TruerateError where the project has no trained detector of that name."""
    allowed = f"{listed(RULES)}, judge:MODEL, a folder of weights, a Hub id (org/name@commit)"
    if not is_settings(params):
        raise SettingsError(
            f"detector {named!r} is not known; allowed: {allowed}, or, beside a {PARAMS}, a trained "
            "detector's name"
        )
    from truerate.pipeline.trained import members_of, trained

    config = _layout(params)
    members = {member for _, _, member in members_of(config)}
    if named not in members:
        raise SettingsError(
            f"detector {named!r} is not known; allowed: {allowed}, or a trained detector: {listed(members)}"
        )
    trained(config, named)


def _layout(params: str) -> "Layout":
    from truerate.config.layout import Layout  # where settings are read, and not before

    return Layout.load(params)


def _usual(params: str) -> Detector:
    """The detector where none is named, and why it is this one."""
    model = next(iter(_real_models(params)), None)
    if model is None:
        rule = detector_of(WORD_SUPPORT)
        return rule._replace(why=f"no --detector and no model of your own in {PARAMS}: {rule.why}")
    detector = detector_of(f"{JUDGE}{model}", params=params)
    return detector._replace(why=f"no --detector: the first model of {PARAMS}, asked zero-shot")


def _real_models(params: str) -> list[str]:
    """Declared models that answer for themselves, in their order; none without settings."""
    if not is_settings(params):
        return []
    p = _layout(params).p
    return [name for name, model in p.models.items() if not p.endpoints[model.endpoint].is_simulated]


def _by_rule(name: str, answer: Answer) -> AnswerVerdict:
    rule = RULES[name]
    if not answer.reference:
        return AnswerVerdict(None, reason=NO_REFERENCE)
    spans = rule.mark(answer.text, answer.reference)
    return AnswerVerdict(rule.decide(answer.text, spans), spans)


def _where_referred(
    judge: Callable[[Sequence[Answer]], list[AnswerVerdict]],
) -> Callable[[Sequence[Answer]], list[AnswerVerdict]]:
    """The same, asked about answers with a reference alone."""

    def asked(answers: Sequence[Answer]) -> list[AnswerVerdict]:
        inside = [answer for answer in answers if answer.reference]
        verdicts = iter(judge(inside) if inside else [])
        return [
            next(verdicts) if answer.reference else AnswerVerdict(None, reason=NO_REFERENCE)
            for answer in answers
        ]

    return asked


# ---- detectors that learned --------------------------------------------------------------------------------
def _published(named: str, adapter: str | None) -> "Published":
    """The weights that a name says: a folder, or a Hub id with its commit."""
    weights, _, revision = (named, "", "") if Path(named).is_dir() else named.partition("@")
    if not Path(named).is_dir() and (weights.count("/") != 1 or not all(weights.split("/"))):
        raise SettingsError(f"--detector {named!r}: no such folder, and no Hub id (org/name@commit)")
    from truerate.config import Published

    given: Mapping[str, str] = {"weights": weights} | ({"revision": revision} if revision else {})
    try:
        return Published(**given, **({"adapter": adapter} if adapter else {}))
    except ValueError:
        raise SettingsError(
            f"--detector {named!r}: allowed: a folder of weights, or org/name@commit with 40 hexadecimal "
            "digits"
        ) from None


def _by_weights(named: str, how: "Published", answers: Sequence[Answer]) -> list[AnswerVerdict]:
    """Return what weights in a folder or on the Hub say, by their adapter."""
    from truerate.detectors.published.checks import usable
    from truerate.detectors.published.family import judge_published

    says_where = usable(how, f"--detector {named!r}").marks_tokens
    judgements = judge_published({named: how}, rows_of(answers)).select(
        "target_id", "verdict", "spans", "reason"
    )
    by_id = {row[0]: row[1:] for row in judgements.iter_rows()}
    verdicts = []
    for answer in answers:
        verdict, pieces, reason = by_id[answer.id]
        if verdict is None or not says_where:
            verdicts.append(AnswerVerdict(verdict, reason=reason))
        else:
            verdicts.append(
                AnswerVerdict(verdict, _marked(whole_words(answer.text, pieces or [], MARKED), MARKED))
            )
    return verdicts


def _marked(spans: Sequence[Mapping], threshold: float) -> Spans:
    """Return the places of the spans that a detector marks, not only suspects."""
    return tuple((span["start"], span["end"]) for span in spans if span["p"] > threshold)


def rows_of(answers: Sequence[Answer]) -> pl.DataFrame:
    """Answers as the rows that published detectors read."""
    rows = [(answer.id, answer.text, answer.reference, answer.question, "") for answer in answers]
    names = ("target_id", "text", "knowledge", "question", "history")
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def _by_trained(named: str, answers: Sequence[Answer], params: str) -> list[AnswerVerdict]:
    """Return what a token detector that was trained in the project says: hallucinated where it marks
    anything.
    """
    from truerate.pipeline.judges.marking import check_pairs

    checks = check_pairs([(answer.text, answer.reference) for answer in answers], named, params)
    marked = [_marked(check.spans, check.threshold) for check in checks]
    return [AnswerVerdict(bool(spans), spans) for spans in marked]


# ---- a model that is asked zero-shot, its replies kept in the store ----------------------------------------
def requests_of(answers: Sequence[Answer], alias: str) -> "list[Request]":
    """Return what is asked about each answer; its texts are fenced."""
    from truerate.llm.prompts import render
    from truerate.llm.request import Request

    requests = []
    for answer in answers:
        texts = {"answer": answer.text, "reference": answer.reference, "question": answer.question}
        messages = tuple(render(ROOM, PROMPT, str(PROMPTS), **texts))
        requests.append(Request(alias, messages, dict(DECODING), keeps_cut=True))
    return requests


def judged(answers: Sequence[Answer], alias: str, config: "Layout") -> list[AnswerVerdict]:
    """Return what the model says of each answer; a dead or unreadable reply gives no verdict, with the
    reason.
    """
    from truerate.llm.ask import ask
    from truerate.llm.replies.verdicts import yes_no

    verdicts = []
    for reply in ask(requests_of(answers, alias), config, label=f"{JUDGE}{alias}"):
        if reply.status != "ok":
            verdicts.append(AnswerVerdict(None, reason=f"no reply: {reply.reason}"))
            continue
        reading = yes_no(reply.text, CUE, asks="hallucination")
        reason = None if reading.value is not None else f"unparsed: {reading.reason}"
        verdicts.append(AnswerVerdict(reading.value, reason=reason))
    return verdicts


def would_cost(answers: Sequence[Answer], alias: str, config: "Layout") -> "Estimate":
    """Calls, tokens and money of the answers that have a reference; asks nothing."""
    from truerate.llm.ask import estimate

    return estimate(requests_of([answer for answer in answers if answer.reference], alias), config)
