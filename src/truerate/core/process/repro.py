"""`dvc repro` as `truerate build` starts it: `python -m truerate.core.process.tools truerate.core.process.repro`.

DVC reads its whole lock again after each stage, in a way that keeps comments for the writing, seven times as
slow as its other one. The lock has no comments; it is written as before, byte for byte.
"""

import sys


def main() -> int:
    """Run DVC on the arguments of this process; returns its exit code."""
    import dvc.utils.serialize._yaml as serialize
    from dvc.cli import main as run_dvc

    serialize.parse_yaml_for_update = serialize.parse_yaml
    code: int = run_dvc(["repro", *sys.argv[1:]])
    return code


if __name__ == "__main__":
    sys.exit(main())
