"""python -m truerate: the commands."""

import sys


def run() -> int:
    """Run the command of this process and return its exit code. Ctrl-C while packages are imported is one line, too."""
    try:
        from truerate.cli import main

        return main()
    except KeyboardInterrupt:
        print("truerate: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(run())
