"""The commands that begin: settings in an empty folder, and completion for a shell."""

import sys
from pathlib import Path

from truerate.cli.command import COMMANDS, command
from truerate.core.data_files import read_data
from truerate.core.errors import SettingsError
from truerate.core.process.project import PARAMS

SHELLS = ("bash", "fish", "zsh")
_BASH = """_truerate() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" first="${{COMP_WORDS[1]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then words="{commands} --help --version -C"; else
    case "$first" in
{cases}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ "${{#COMPREPLY[@]}}" -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}}
complete -o filenames -F _truerate truerate"""


@command("init")
def _init(o) -> None:
    path = Path(o.folder, PARAMS)
    if path.exists():
        raise SettingsError(f"init: {str(path.absolute())!r} is there already; nothing was written")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(Path(__file__).with_name(PARAMS).read_bytes())
    print(f"wrote {path}: name your model there, then: truerate rate answers.csv --detector judge:mine")
    print("boards are built in a clone of truerate, which holds their dvc.yaml and rules: make demo")


@command("completion")
def _completion(o) -> None:
    if o.shell not in SHELLS:
        raise SettingsError(f"completion for {o.shell!r}: allowed: {', '.join(SHELLS)}")
    sys.stdout.write(completion(o.shell))


def completion(shell: str) -> str:
    """Return the script that completes commands and their options in `shell`, made from commands.yaml; where
    no word fits, files.
    """
    words = {name: _words(entry) for name, entry in read_data(COMMANDS, dict).items() if "help" in entry}
    if shell == "fish":
        lines = [f"complete -c truerate -n __fish_use_subcommand -a '{' '.join(words)}'"]
        lines += [
            f"complete -c truerate -n '__fish_seen_subcommand_from {name}' -a '{' '.join(after)}'"
            for name, after in words.items()
            if after
        ]
        return "\n".join(lines) + "\n"
    cases = "\n".join(f'      {name}) words="{" ".join(after)}" ;;' for name, after in words.items())
    script = _BASH.format(commands=" ".join(words), cases=cases)
    return ("autoload -U +X bashcompinit && bashcompinit\n" if shell == "zsh" else "") + script + "\n"


def _words(entry: dict) -> list[str]:
    """What may follow a command: its inner commands, or its options."""
    options = [name for names in entry.get("arguments", {}) for name in names.split() if name.startswith("-")]
    return [*entry.get("commands", ()), *(["--json"] if entry.get("json") else []), *options, "--help"]
