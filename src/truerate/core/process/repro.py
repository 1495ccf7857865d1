"""`dvc repro` as `truerate build` starts it: `python -m truerate.core.process.tools truerate.core.process.repro`.

DVC reads its whole lock again after each stage, in a way that keeps comments for the writing, seven times as
slow as its other one. The lock has no comments; it is written as before, byte for byte.
"""

import sys

import dvc.utils.serialize._yaml as serialize
from dvc.cli import main

if __name__ == "__main__":
    serialize.parse_yaml_for_update = serialize.parse_yaml
    sys.exit(main(["repro", *sys.argv[1:]]))
