"""What ends a run before its last reply, said in one line with what to do about it."""

import re
import time
from datetime import UTC, datetime

from truerate.config import Endpoint
from truerate.core.errors import BudgetError, EndpointError, TruerateError
from truerate.core.redaction import secret
from truerate.core.retry import MOST_S
from truerate.llm.keys import FLOATS, Target
from truerate.llm.store.budget import BudgetLimits
from truerate.llm.store.jobs import Job, Settled
from truerate.llm.store.responses import DeadLetter
from truerate.llm.transport.verdict import Verdict, pattern

OF_TRACKS = (*sorted(FLOATS), "seed")  # settings of decoding that tracks send and a model may be spared
OTHER_LIMIT = "max_completion_tokens"  # the name that newer servers give to the limit of a reply
KEPT = "replies that came are stored"
NOTHING_DEAD = f"{KEPT}, none became a dead letter for it"
_NO_SYSTEM = pattern("no_system")


def api_key(name: str, endpoint: Endpoint) -> str:
    """The endpoint's key from the environment, or a placeholder; TruerateError if there is no usable one."""
    if endpoint.api_key_env is None:
        return "none"
    return secret(endpoint.api_key_env, f"endpoint {name!r}", "the endpoint's key")


def fatal(target: Target, endpoint: Endpoint, url: str, verdict: Verdict) -> TruerateError:
    """The endpoint will answer no request like this one: its key, model, quota or address is wrong."""
    setting, variable = f"endpoints.{target.endpoint}", endpoint.api_key_env
    start = (
        "its launched server keeps ending"
        if endpoint.launch
        else f"start the server or correct {setting}.base_url"
    )
    key = (
        f"put a valid key into {variable}"
        if variable
        else f"name its key's variable as {setting}.api_key_env"
    )
    what, hint = {
        "unauthorised": ("unauthorised", key),
        "forbidden": ("forbidden", f"{key}, or choose another model"),
        "wrong_model": (
            f"model {target.model!r} is not there",
            f"check models.{target.alias}.model and the address of {setting}",
        ),
        "quota": (
            "nothing is left of its quota",
            f"top up, or run again {_reset(verdict) or 'when it is filled up'}",
        ),
        "unreachable": ("is down", start),
    }[verdict.reason]
    return EndpointError(
        f"asking endpoint {target.endpoint!r} ({url}): {what}: {verdict.detail}; {hint}; {KEPT}"
    )


def takes_no_form(target: Target, url: str, verdict: Verdict, setting: str) -> TruerateError:
    """The endpoint refuses structured output, which `setting` asks for."""
    what = f"model {target.alias!r} ({target.model!r} at endpoint {target.endpoint!r}, {url})"
    return EndpointError(
        f"{what} refuses structured output: {verdict.detail}; set {setting} in params.yaml to null; {KEPT}"
    )


def asks_to_wait(name: str, seconds: float) -> TruerateError:
    """The endpoint wants a longer pause than a run waits."""
    moment = datetime.fromtimestamp(time.time() + min(seconds, MOST_S), UTC)
    until = f"until {moment:%Y-%m-%d %H:%M} UTC"
    return EndpointError(f"endpoint {name!r} asks to wait {seconds:,.0f} s, {until}; run again then; {KEPT}")


def used_up(name: str, url: str, refused: Verdict, n_tries: int, seconds: float) -> TruerateError:
    """The endpoint refuses for the rate, so many tries in a row for so long, the last like this."""
    when = _reset(refused) or "later"
    what = f"{n_tries:,} refusals in a row, for {seconds:,.0f} s, without an answer between"
    return EndpointError(
        f"asking endpoint {name!r} ({url}): {what}: {refused.detail}; run again {when}; {NOTHING_DEAD}"
    )


def _reset(refused: Verdict) -> str:
    """Return when the endpoint says that what is used up begins anew; empty where it does not say."""
    if refused.resets_at is None:
        return ""
    moment = datetime.fromtimestamp(refused.resets_at, UTC)
    hours = (refused.resets_at - time.time()) / 3600
    return f"after {moment:%Y-%m-%d %H:%M} UTC, in {hours:,.1f} h, when it says that its limit begins anew"


def nothing_whole(name: str, url: str, last: Verdict, n_tries: int) -> TruerateError:
    """The endpoint answers, and is paid for it, with nothing that is a whole reply."""
    what = f"{n_tries:,} replies in a row, and none of them whole, the last as {last.reason}: {last.detail}"
    hint = f"see to endpoints.{name} in params.yaml, or to the server, and run again"
    if last.reason == "empty":
        hint = f"content is empty: if the server puts the answer into the reasoning, turn its reasoning parser off; else {hint}"
    return EndpointError(f"asking endpoint {name!r} ({url}): {what}; {hint}; {NOTHING_DEAD}")


def is_away(name: str, url: str, last: Verdict, n_tries: int, seconds: float) -> TruerateError:
    """The endpoint, which has answered before, has failed for so long."""
    what = f"no whole reply for {seconds:,.0f} s (`llm.outage_s`): {n_tries:,} tries in a row failed"
    return EndpointError(
        f"asking endpoint {name!r} ({url}): {what}, the last as {last.reason}: {last.detail};"
        f" run again when it is well; {NOTHING_DEAD}"
    )


def refuses_all(last: Settled, url: str, n_refused: int) -> TruerateError:
    """The endpoint has answered nothing for an alias; `last` is its last refusal, of so many."""
    target, refused = last.job.target, last.answer
    assert isinstance(refused, DeadLetter)  # no other answer is held back
    which = f"model {target.alias!r} ({target.model!r} at endpoint {target.endpoint!r}, {url})"
    what = f"{which} has answered nothing: {n_refused} requests refused"
    hint = f"see to models.{target.alias} and endpoints.{target.endpoint} in params.yaml, or to the server, and run again"
    if blamed := next((name for name in OF_TRACKS if re.search(rf"\b{name}\b", refused.detail)), None):
        dropped = ", ".join((*sorted(target.drop - {blamed}), blamed))
        hint = f"`drop: [{dropped}]` in models.{target.alias} of params.yaml leaves it out; else {hint}"
    elif target.limit_field != OTHER_LIMIT and OTHER_LIMIT in refused.detail:
        hint = f"set `max_tokens_field: {OTHER_LIMIT}` in models.{target.alias} of params.yaml; else {hint}"
    elif target.has_system and _NO_SYSTEM.search(refused.detail):
        hint = f"`has_system: false` in models.{target.alias} of params.yaml sends such a message with the first user's; else {hint}"
    elif target.structured and last.job.request.form:
        hint = f"it may be structured output that it does not take: set models.{target.alias}.structured to null; else {hint}"
    return EndpointError(
        f"{what}, the last as {refused.reason}: {refused.detail}; {hint}; none became a dead letter"
    )


def batch_elsewhere(tag: str, address: str, n: int) -> TruerateError:
    """Requests are in a batch that was sent to another address than they are asked at now."""
    hint = f"set that address again, or forget the batch: `truerate llm batches --forget {tag}` (what it left open counts as paid)"
    return EndpointError(f"{n:,} requests are in batch {tag}, which was sent to {address}; {hint}")


def over_budget(job: Job, limits: BudgetLimits, spent: tuple[float, int]) -> TruerateError:
    """The next request could pass the budget."""
    settings = (("llm.budget_usd", limits.usd), ("llm.budget_tokens", limits.tokens))
    cap = " and ".join(f"{name} = {value}" for name, value in settings if value is not None)
    need = f"${job.usd:.6g} and {job.n_in + job.n_out:,} tokens"
    return BudgetError(
        f"budget: {cap}; ${spent[0]:.6g} and {spent[1]:,} tokens are spent, and the next request to "
        f"{job.target.alias!r} may cost up to"
        f" {need}; raise the limit in params.yaml and run again; {KEPT}"
    )
