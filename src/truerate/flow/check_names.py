"""What params.yaml names and only the rooms know: readers, detectors, languages, settings of requests,
commands, files, prompts.

The first stage asks for all of it, so that such a mistake ends a build before anything is made or paid for: a
line for each.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from truerate.config.layout import Layout
from truerate.config.placement import weights
from truerate.config.yaml_faults import veiled
from truerate.core.errors import SettingsError, TruerateError, listed, meant

if TYPE_CHECKING:
    from truerate.config import Source

N_SHOWN = 80
OWN_WORDS = {  # what may stand for weights and is none, by the setting
    "tracks.halueval.similarity": "chrf",
    "tracks.mfava.tokenizer": "words",
    "tracks.wildhallucinations.rarity": "ngram",
    "backbones": "tiny",
}


def check_names(at: Layout) -> None:
    """Raise TruerateError with a line for every name that no room knows."""
    rooms = (_sources, _detectors, _languages, _requests, _weights, _files, check_web)
    if found := list(dict.fromkeys(line for room in rooms for line in room(at))):
        raise SettingsError(
            "\n".join(veiled(f"params.yaml: {line.removeprefix('params.yaml: ')}") for line in found)
        )


def _told(place: str, check: Callable[..., object], *args: object, near: str = "") -> Iterator[str]:
    """What a room says of a setting, as a line that begins with its place; nothing where it says nothing.
    `near`: what may be meant.
    """
    try:
        check(*args)
    except OSError as error:  # a name that no file can have
        yield f"{place}: {str(error.filename)[:N_SHOWN]!r}: {error.strerror}"
    except TruerateError as error:
        for line in str(error).splitlines():
            what = (
                line.removeprefix(f"{place}: ")
                .replace("; allowed", f"{near}; allowed", 1)
                .replace("; known", f"{near}; known", 1)
            )
            yield what if line.startswith("params.yaml: ") else f"{place}: {what}"


def _first_told(at: Layout, place: str, check: Callable[..., object], name: str) -> list[str]:
    """What a room says of a setting that may differ by track: of the first track at which it says something."""
    told = (list(_told(place, check, there, name)) for there in at.on_each_track())
    return next(filter(None, told), [])


def _sources(at: Layout) -> Iterator[str]:
    """Readers, and the commands that fill folders."""
    from truerate.config import Source, Training
    from truerate.sources import check_reader
    from truerate.sources.fetch import check_make

    for name, source in at.p.sources.items():
        yield from _told(f"sources.{name}", check_reader, name, source, near=_near_reader(source))
        if source.make:
            yield from _told(f"sources.{name}", check_make, name, source, at)
        if source.truth_code:
            yield from _first_told(at, f"sources.{name}.truth_code", _truth_code, name)
    for name, public in at.p.public_data.items():
        taught = public.training and Training(reader=public.training.reader, path=public.training.folder)
        source = Source(reader=public.reader, part=public.part, path=public.folder, training=taught)
        yield from _told(f"public_data.{name}", check_reader, name, source, near=_near_reader(source))


def _near_reader(source: "Source") -> str:
    """What may be meant where a reader of a source is none."""
    from truerate.sources import readers

    named = (source.reader, *([source.training.reader] if source.training else []))
    return next((meant(name, readers()) for name in named if name not in readers()), "")


def _detectors(at: Layout) -> Iterator[str]:
    """Members of families: rules, networks and backbones."""
    from truerate.detectors.family import member, members
    from truerate.detectors.tokens.rules import BY_NAME, check_member

    for key, family in at.p.detectors.items():
        for name in family.members:
            asked = (
                (member, name, family.entailment) if family.folds else (check_member, name, at.p.backbones)
            )
            allowed = [*members(), *family.entailment] if family.folds else [*BY_NAME, *at.p.backbones]
            yield from _told(f"detectors.{key}.members", *asked, near=meant(name, allowed))


def _languages(at: Layout) -> Iterator[str]:
    """Codes that prompts and the writers of sources know."""
    from truerate.tracks.mfava.languages import LANGUAGES, language

    named = {"languages": at.p.languages} | {
        f"sources.{name}.languages": source.languages for name, source in at.p.sources.items()
    }
    if at.p.tracks.mfava and any(board.track == "mfava" for board in at.p.boards.values()):
        named["tracks.mfava.languages"] = at.p.tracks.mfava.languages
        named |= {
            f"models.{alias}.languages": at.p.model(alias).languages for alias in at.p.tracks.mfava.subjects
        }
    faults = []
    for where, codes in named.items():
        for code in codes:
            faults += _told(where, language, code, where, near=meant(code, LANGUAGES))
    yield from faults or _unwritten(at)


def _params_sent(at: Layout, alias: str) -> dict:
    from truerate.llm.keys import Target

    return Target.of(at, alias).params({"max_tokens": 1})


def _truth_code(at: Layout, name: str) -> str:
    return at.code_digest(at.p.source(name).truth_code)


def _unwritten(at: Layout) -> Iterator[str]:
    """Languages that mFAVA asks for and the command of a board's source is not told to write."""
    for name, board in at.p.boards.items():
        source = at.p.source(board.source)
        written = source.languages or at.p.languages
        is_told = board.track == "mfava" and "{languages}" in (source.make or "")
        if lost := [code for code in at.p.tracks.mfava.languages if code not in written] if is_told else []:
            what = f"{lost[0]!r} is not written by source {board.source!r} of board {name!r}"
            yield f"tracks.mfava.languages: {what}; it writes: {listed(written)}"


def _requests(at: Layout) -> Iterator[str]:
    """What is sent to models, the commands that start their servers, and the user's prompts."""
    from truerate.llm.keys import PARAMS
    from truerate.llm.prompts import check_folder
    from truerate.llm.transport.launch import Launch

    broken = set()
    for name, endpoint in at.p.endpoints.items():
        faults = _first_told(at, f"endpoints.{name}", Layout.endpoint_identity, name)
        if endpoint.base_url and not is_address(endpoint.base_url):
            faults.append(
                f"endpoints.{name}.base_url: it names no host and port that can be asked, such as http://localhost:8000/v1"
            )
        if not faults and endpoint.launch:
            faults = _first_told(at, f"endpoints.{name}", Launch.of, name)
        broken |= {name} if faults else set()
        yield from faults
    for alias, model in at.p.models.items():
        for name in model.drop:
            if name not in PARAMS:
                yield f"models.{alias}.drop: {name!r} is no setting of a request{meant(name, PARAMS)}; allowed: {listed(PARAMS)}"
        if model.endpoint not in broken:
            yield from _told(f"models.{alias}.params", _params_sent, at.on_each_track()[0], alias)
    if at.p.llm.prompts_dir:
        yield from _told("llm.prompts_dir", check_folder, at.p.llm.prompts_dir)


def is_address(url: str) -> bool:
    """Whether an address can be taken apart into host and port."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def _weights(at: Layout) -> Iterator[str]:
    """Names that may be a Hub id, a folder or a word of ours: a folder that is not there, and a word that is
    nearly ours.
    """
    from truerate.core.pretrained import is_folder, not_weights
    from truerate.hub.licences import LICENCES

    for where, value in weights(at.p).items():
        own = OWN_WORDS.get("backbones" if where.startswith("backbones.") else where)
        if value in (None, own):
            continue
        near, is_there = meant(value, [own] if own else []), is_folder(value)
        if what := not_weights(value):
            yield f"{where}: {what}{near}"
        elif near and not is_there:
            yield f"{where}: {value!r} is no folder that is there{near}"
    if at.p.hub.licence is not None and at.p.hub.licence not in LICENCES:
        found = at.p.hub.licence
        yield f"hub.licence: {found!r} is no licence that can be asked for{meant(found, LICENCES)}; allowed: {listed(LICENCES)}, or null"


def _files(at: Layout) -> Iterator[str]:
    """Files of the user that decide rows."""
    from truerate.tracks.wildhallucinations.entities import takedown_keys
    from truerate.web.search import recorded

    track = at.p.tracks.wildhallucinations
    if track is None:
        return
    yield from _told("tracks.wildhallucinations.takedown", takedown_keys, track.takedown)
    if track.search.recorded:
        yield from _told("tracks.wildhallucinations.search.recorded", recorded, track.search.recorded)


def check_web(at: Layout) -> Iterator[str]:
    """Boards on which models would be asked about real entities and their pages come from a simulated web."""
    track = at.p.tracks.wildhallucinations
    if track is None:
        return
    used = {
        "search.endpoint": track.search.endpoint if track.search.url else None,
        "fetch.proxy": track.fetch.proxy,
    }
    simulated = [key for key, endpoint in used.items() if endpoint and at.p.endpoints[endpoint].is_simulated]
    for name, board in at.p.boards.items() if simulated else ():
        is_real = board.track == "wildhallucinations" and not at.p.source(board.source).is_simulated
        if is_real and at.p.models_on(name, track.subjects):
            key = f"tracks.wildhallucinations.{simulated[0]}"
            what = f"{key} is {used[simulated[0]]!r}, which is simulated, and the source of board {name!r} is not"
            yield f"{what}; name the address of a real search in search.url with endpoint: null, and proxy: null"
