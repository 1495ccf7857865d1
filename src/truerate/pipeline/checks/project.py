"""What DVC asks of the folder in which it builds, said before it starts."""

from pathlib import Path

from truerate.core.errors import SettingsError, TruerateError


def refuse_project() -> None:
    """Raise TruerateError where DVC cannot build in this folder: see `unusable`."""
    if what := unusable():
        raise TruerateError(what)


def unusable(folder: str = ".") -> str | None:
    """Return why DVC refuses a folder (no `.dvc`, or no git repository around it); None if it takes it."""
    path = Path(folder).absolute()
    root = next((parent for parent in (path, *path.parents) if (parent / ".dvc").is_dir()), None)
    has_git = any((parent / ".git").exists() for parent in (path, *path.parents))
    if root is None:
        how = "`dvc init --subdir`" if has_git else "`git init` and `dvc init`, or `dvc init --no-scm`"
        return f"{str(path)!r} is no DVC project, in which stages are recorded: run {how} there"
    if has_git:
        return None
    from dvc.config import Config

    if Config(dvc_dir=str(root / ".dvc"))["core"].get("no_scm"):
        return None
    return (
        f"{str(path)!r} lies in no git repository, which DVC asks for: run `git init` there, "
        "or `dvc config --local core.no_scm true` to build without git"
    )


def refuse_no_clone() -> None:
    """Raise SettingsError in a folder without the stages that make boards."""
    if not Path("dvc.yaml").is_file():
        what = f"no dvc.yaml in {str(Path.cwd())!r}"
        raise SettingsError(f"{what}: boards are built in a clone of truerate, which holds it")
