"""The blocks of tracks in params.yaml: one per folder of `truerate.tracks`, as its settings.py declares it.

No list of tracks stands here: folders are found, and `Settings` and `Sizes` are imported by the folder's
name, not before the first params.yaml is read. A board may override its track's: its own keys are merged into
the track's, mapping by mapping, and the whole is validated as the track's block.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Annotated, Any, ClassVar, Literal, TypeVar, overload

from pydantic import BeforeValidator, GetCoreSchemaHandler, ValidationError, create_model
from pydantic_core import CoreSchema, ErrorDetails, InitErrorDetails, PydanticCustomError, core_schema

from truerate.config.blocks import Block, SizesOfTrack, Track
from truerate.config.faults import block_in, fields_at
from truerate.core.errors import TruerateError, listed, meant

B = TypeVar("B", bound=Block)
# class variables of `Track` that name keys of its settings
KINDS = ("asks", "later", "builders", "among", "files_in", "endpoints_in", "weights_in", "weights_spared")
FOLDERS = Path(__file__).parents[1] / "tracks"


@cache
def track_names() -> tuple[str, ...]:
    """The names of all tracks that there are: the packages in the folder of the tracks."""
    return tuple(sorted(module.name for module in iter_modules([str(FOLDERS)]) if module.ispkg))


@overload
def declared(track: str, part: Literal["Settings"]) -> type[Track]: ...
@overload
def declared(track: str, part: Literal["Sizes"]) -> type[SizesOfTrack]: ...
@overload
def declared(track: str, part: str) -> type[Block]: ...


def declared(track: str, part: str) -> type[Block]:
    """The class `Settings` or `Sizes` of a track. Raises TruerateError without one, or for unknown keys."""
    module = f"truerate.tracks.{track}.settings"
    try:
        block = getattr(import_module(module), part, None)
    except Exception as error:  # noqa: BLE001 - whatever a module of a track raises is a fault of the track
        if not isinstance(error, ModuleNotFoundError) or error.name != module:
            raise TruerateError(broken(module, error)) from None
        what = f"track {track!r}: tracks/{track}/settings.py is not there"
        raise TruerateError(
            f"{what}; it must hold classes `Settings` and `Sizes`, as contract.py says"
        ) from None
    wanted = Track if part == "Settings" else SizesOfTrack
    if not (isinstance(block, type) and issubclass(block, wanted)):
        raise TruerateError(
            f"track {track!r}: tracks/{track}/settings.py must hold a class `{part}` that is a "
            f"truerate.config.blocks.{wanted.__name__}"
        )
    if issubclass(block, Track) and (fault := _first_fault(block)):
        raise TruerateError(f"track {track!r}: {fault}")
    return block


@cache
def _first_fault(block: type[Track]) -> str | None:
    """The first that is wrong with a class of settings: looked for once, however often settings are read."""
    return next(_no_settings(block), None)


def _no_settings(block: type[Track]) -> Iterator[str]:
    """Yield what is wrong with the names by which a track's settings say what its keys mean to other rooms."""
    for kind in KINDS:
        named = getattr(block, kind)
        more = named.values() if kind in ("builders", "among") else ()
        for setting in (*(() if kind == "builders" else named), *more):
            fields: Mapping[str, Any] = block.model_fields
            for part in setting.split("."):
                if part not in fields:
                    what = (
                        f"`{kind}` of its Settings names {setting!r}, which is no setting of "
                        f"it{meant(part, fields)}"
                    )
                    yield f"{what}; there: {listed(fields)}"
                    break
                inner = block_in(fields[part].annotation)
                fields = inner.model_fields if inner else {}


@cache
def fault_of(track: str) -> str | None:
    """Return what is wrong with the blocks that a track declares; None where nothing is."""
    try:
        declared(track, "Settings"), declared(track, "Sizes")
    except TruerateError as error:
        return str(error)
    return None


def broken(module: str, error: Exception) -> str:
    """Return what is said of a module of a track that cannot be imported."""
    message = " ".join(str(error).split())[:160]
    return (
        f"{module.replace('.', '/')}.py cannot be imported: {type(error).__name__}: {message}; mend it "
        "or take its folder away"
    )


@cache
def _whole(part: str) -> type[Block]:
    """Block with an optional key per track; a track with a broken settings.py is refused where it is used."""
    fields: dict[str, Any] = {
        name: (declared(name, part) | None if fault_of(name) is None else _refused(name, part), None)
        for name in track_names()
    }
    return create_model(f"{part}ByTrack", __base__=Block, **fields)


def _refused(track: str, part: str) -> Any:
    """The block of a broken track: nothing under `tracks`; its sizes are ignored, since one line suffices."""

    def check(value: object) -> None:
        if part == "Settings" and value is not None:
            raise ValueError(fault_of(track))

    return Annotated[Any, BeforeValidator(check)]


class ByTrack(dict[str, B]):
    """Blocks by the name of their track; those that params.yaml has, and no others."""

    part: ClassVar[str]

    @classmethod
    def whole(cls) -> type[Block]:
        """The block that params.yaml may hold here."""
        return _whole(cls.part)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(
            lambda block: cls({name: settings for name, settings in block if settings is not None}),
            handler(cls.whole()),
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda blocks: {name: settings.model_dump(mode="json") for name, settings in blocks.items()}
            ),
        )


class SettingsByTrack(ByTrack[Track]):
    """`tracks:` of params.yaml."""

    part = "Settings"


class SizesByTrack(ByTrack[SizesOfTrack]):
    """`sizes.<profile>:` of params.yaml."""

    part = "Sizes"


def merged(block: B, changes: Mapping[str, object]) -> B:
    """A block with some keys changed, mappings key by key. Raises ValidationError if it is invalid."""
    return type(block).model_validate(_over(block.model_dump(), changes)) if changes else block


def _over(values: Mapping[str, object], changes: Mapping[str, object]) -> dict[str, object]:
    """Plain values with those of `changes` over them."""
    result = dict(values)
    for key, change in changes.items():
        old = values.get(key)
        if isinstance(old, Mapping) and isinstance(change, Mapping):
            result[key] = _over(old, change)
        else:
            result[key] = change
    return result


def holds(changes: Mapping[str, object], path: str) -> bool:
    """Return whether changes say something of a place told by dots, or of something inside it."""
    value: object = changes
    for part in path.split("."):
        if not isinstance(value, Mapping):
            return True
        if part not in value:
            return False
        value = value[part]
    return True


def overriding_faults(
    block: Block | None, changes: Mapping[str, object], path: tuple[str, ...]
) -> Iterator[InitErrorDetails]:
    """Yield what is wrong with changes of a track's block, each mistake under its own place in params.yaml."""
    if block is None or not changes:
        return
    try:
        merged(block, changes)
    except ValidationError as error:
        for fault in error.errors(include_url=False):
            yield InitErrorDetails(type=_kind(fault, block), loc=(*path, *fault["loc"]), input=fault["input"])


def _kind(fault: ErrorDetails, block: Block) -> str | PydanticCustomError:
    """Kind of a mistake; of an unknown key with the keys that there are, which its place does not tell."""
    if fault["type"] != "extra_forbidden":
        return PydanticCustomError(fault["type"], "{said}", {"said": fault["msg"], **fault.get("ctx", {})})
    *parents, key = fault["loc"]
    allowed = fields_at(parents, type(block))
    text = f"unknown key {str(key)!r}{meant(str(key), allowed)}; allowed here: {listed(allowed)}"
    return PydanticCustomError("unknown_key", "{said}", {"said": text})
