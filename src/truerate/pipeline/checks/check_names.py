"""What params.yaml names and only the rooms know: readers, detectors, languages, settings of requests,
commands, files, prompts.

The first stage asks for all of it, so that such a mistake ends a build before anything is made or paid for: a
line for each.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from truerate.config.data import of_public_data
from truerate.config.faults import redact
from truerate.config.layout import Layout
from truerate.config.placement import own_words, weights
from truerate.core.errors import SettingsError, TruerateError, listed, meant, mistakes
from truerate.pipeline.checks.check_tracks import check_tracks

if TYPE_CHECKING:
    from truerate.config import Published, Source


def check_names(config: Layout) -> None:
    """Raise TruerateError with a line for every name that no room knows."""
    rooms = (_sources, check_tracks, _detectors, _languages, _requests, _weights)
    lines = [line for room in rooms for line in room(config)]
    for name, alone in config.p.of_public_data():
        there = Layout(alone)
        lines += [of_public_data(line, name) for room in (check_tracks, _weights) for line in room(there)]
    if faults := list(dict.fromkeys(lines)):
        raise SettingsError(
            "\n".join(redact(f"params.yaml: {line.removeprefix('params.yaml: ')}") for line in faults)
        )


def _first_fault(config: Layout, setting: str, check: Callable[..., object], value: object) -> list[str]:
    """Return the faults of a setting that may differ by track: those on the first track that has some."""
    faults = (list(mistakes(setting, check, there, value)) for there in config.on_each_track())
    return next(filter(None, faults), [])


def _sources(config: Layout) -> Iterator[str]:
    """Readers, and the commands that fill folders."""
    from truerate.config import Source, Training
    from truerate.sources.hub.fetch import check_make
    from truerate.sources.reading import check_reader

    for name, source in config.p.sources.items():
        yield from mistakes(f"sources.{name}", check_reader, name, source, near=partial(_near_reader, source))
        if source.make:
            yield from mistakes(f"sources.{name}", check_make, name, source, config)
        if source.truth_code:
            where = f"sources.{name}.truth_code"
            yield from _first_fault(config, where, Layout.code_digest, source.truth_code)
    for name, public in config.p.public_data.items():
        training = public.training and Training(reader=public.training.reader, path=public.training.folder)
        source = Source(reader=public.reader, part=public.part, path=public.folder, training=training)
        yield from mistakes(
            f"public_data.{name}", check_reader, name, source, near=partial(_near_reader, source)
        )


def _near_reader(source: "Source") -> str:
    """Return what may be meant where a reader of a source is none."""
    from truerate.sources.reading import is_reader
    from truerate.sources.registry import readers

    named = (source.reader, *([source.training.reader] if source.training else []))
    return next((meant(name, readers()) for name in named if not is_reader(name)), "")


def _detectors(config: Layout) -> Iterator[str]:
    """Members of families: rules, networks and backbones."""
    from truerate.detectors.family import member, members
    from truerate.detectors.judges.family import check_judge
    from truerate.detectors.tokens.rules import BY_NAME, check_member

    for key, family in config.p.detectors.items():
        is_trained_elsewhere = family.learns_from is not None and config.p.teacher(key, "")[0] != key
        for name in () if is_trained_elsewhere or family.kind in ("judges", "published") else family.members:
            asked = (
                (member, name, family.entailment)
                if family.folds
                else (check_member, name, config.p.backbones)
            )
            allowed = [*members(), *family.entailment] if family.folds else [*BY_NAME, *config.p.backbones]
            yield from mistakes(f"detectors.{key}.members", *asked, near=partial(meant, name, allowed))
        for name, judging in family.judges.items():
            yield from mistakes(f"detectors.{key}.judges", check_judge, name, judging, config.p.backbones)
        for name, how in family.published.items():
            yield from _published(config, key, name, how)


def _published(config: Layout, family: str, name: str, how: "Published") -> Iterator[str]:
    """Published detectors that cannot be used (the Hub is not asked), or that mark no tokens where needed."""
    from truerate.detectors.published.checks import usable

    where = f"detectors.{family}.published.{name}"
    try:
        adapter = usable(how, where, is_asked=False)
    except TruerateError as error:
        yield str(error)
        return
    for board, of in config.p.boards.items():
        is_there = (
            name in config.p.detectors[family].members_on(of.track)
            and of.track in config.p.detectors[family].tracks
        )
        if is_there and config.p.rate_of(board) and not adapter.marks_tokens:
            yield (
                f"{where}: adapter {adapter.name!r} judges whole texts, and board {board!r} counts marked "
                "tokens; "
                f"take {of.track!r} out of its tracks, or name a detector that marks tokens"
            )


def _languages(config: Layout) -> Iterator[str]:
    """Codes that prompts and the writers of sources know."""
    from truerate.core.languages import LANGUAGES, language

    named = {"languages": config.p.languages} | {
        f"sources.{name}.languages": source.languages for name, source in config.p.sources.items()
    }
    for where, codes in named.items():
        for code in codes:
            yield from mistakes(where, language, code, where, near=partial(meant, code, LANGUAGES))


def _requests(config: Layout) -> Iterator[str]:
    """Yield what is sent to models, the commands that start their servers, and the user's prompts."""
    from truerate.llm.keys import PARAMS, Target
    from truerate.llm.prompts import check_folder
    from truerate.llm.transport.launch import Launch

    broken = set()
    for name, endpoint in config.p.endpoints.items():
        faults = _first_fault(config, f"endpoints.{name}", Layout.endpoint_identity, name)
        try:
            parts = urlsplit(endpoint.base_url or "http://localhost")
            is_address = bool(parts.hostname) and (parts.port is None or parts.port > 0)
        except ValueError:
            is_address = False
        if not is_address:
            example = "such as http://localhost:8000/v1"
            faults.append(
                f"endpoints.{name}.base_url: it names no host and port that can be asked, {example}"
            )
        if not faults and endpoint.launch:
            faults = _first_fault(config, f"endpoints.{name}", Launch.of, name)
        broken |= {name} if faults else set()
        yield from faults
    first_track = config.on_each_track()[0]

    def params_sent(alias: str) -> dict:
        return Target.of(first_track, alias).params({"max_tokens": 1})

    for alias, model in config.p.models.items():
        for name in model.drop:
            if name not in PARAMS:
                yield (
                    f"models.{alias}.drop: {name!r} is no setting of a request{meant(name, PARAMS)}; "
                    f"allowed: {listed(PARAMS)}"
                )
        if model.endpoint not in broken:
            yield from mistakes(f"models.{alias}.params", params_sent, alias)
    if config.p.llm.prompts_dir:
        yield from mistakes("llm.prompts_dir", check_folder, config.p.llm.prompts_dir)


def _weights(config: Layout) -> Iterator[str]:
    """Lines on weights (a Hub id, folder or keyword): an absent folder, or a misspelt keyword."""
    from truerate.core.pretrained import is_folder, not_weights
    from truerate.hub.licences import LICENCES

    ours = own_words(config.p)
    for where, value in weights(config.p).items():
        keyword = ours.get(where)
        if value in (None, keyword):
            continue
        near, is_there = meant(value, [keyword] if keyword else []), is_folder(value)
        if what := not_weights(value):
            yield f"{where}: {what}{near}"
        elif near and not is_there:
            yield f"{where}: {value!r} is no folder that is there{near}"
    if config.p.hub.licence is not None and config.p.hub.licence not in LICENCES:
        licence = config.p.hub.licence
        what = f"{licence!r} is no licence that can be asked for{meant(licence, LICENCES)}"
        yield f"hub.licence: {what}; allowed: {listed(LICENCES)}, or null"
