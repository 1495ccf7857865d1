"""python -m truerate: the commands."""

import sys

from truerate.cli import main

sys.exit(main())
