"""What params.yaml names and only the rooms know: readers, detectors, languages, settings of requests, launch commands, the user's prompts.

The first stage asks for all of it, so that such a mistake ends a build before anything is made or paid for.
"""

from truerate.errors import TruerateError
from truerate.layout import Layout


def check_names(at: Layout) -> None:
    """Raise TruerateError for the first name that no room knows."""
    from truerate.detectors.family import member
    from truerate.detectors.tokens import check_member
    from truerate.llm.keys import Target
    from truerate.llm.launch import Launch
    from truerate.llm.prompts import check_folder
    from truerate.sources import check_reader
    from truerate.tracks.mfava.languages import language

    for name, source in at.p.sources.items():
        check_reader(name, source)
    for family in at.p.detectors.values():
        for name in family.members:
            member(name, family.entailment) if family.folds else check_member(name, at.p.backbones)
            if name in at.p.models:
                raise TruerateError(f"params.yaml: models.{name}: a detector has this name too and both are rows; rename the model")
    if any(board.track == "mfava" for board in at.p.boards.values()):
        for code in at.p.tracks.mfava.languages:
            language(code)
        for alias in at.p.tracks.mfava.subjects:
            for code in at.p.model(alias).languages:
                language(code, f"models.{alias}.languages")
    check_web(at)
    for alias in asked(at):
        target = Target.of(at, alias)
        target.params({"max_tokens": 1})
        if at.p.endpoints[target.endpoint].launch:
            Launch.of(at, target.endpoint)
    if at.p.llm.prompts_dir:
        check_folder(at.p.llm.prompts_dir)


def check_web(at: Layout) -> None:
    """Raise TruerateError where models would be asked about real entities and their pages come from a simulated web."""
    track = at.p.tracks.wildhallucinations
    if track is None:
        return
    used = {"search.endpoint": track.search.endpoint if track.search.url else None, "fetch.proxy": track.fetch.proxy}
    simulated = [key for key, endpoint in used.items() if endpoint and at.p.endpoints[endpoint].is_simulated]
    for name, board in at.p.boards.items() if simulated else ():
        is_real = board.track == "wildhallucinations" and not at.p.source(board.source).is_simulated
        if is_real and at.p.models_on(name, track.subjects):
            key = f"tracks.wildhallucinations.{simulated[0]}"
            what = f"params.yaml: {key} is {used[simulated[0]]!r}, which is simulated, and the source of board {name!r} is not"
            raise TruerateError(f"{what}; name the address of a real search in search.url with endpoint: null, and proxy: null")


def asked(at: Layout) -> list[str]:
    """The models that some board asks, each once."""
    return list(dict.fromkeys(alias for board in at.p.boards for alias in at.p.models_on(board, at.p.track(board).models())))
