"""python -m truerate: the commands."""

import atexit
import gc
import sys

# Imports make some 10,000 classes and functions that live to the end. Looking through them for garbage again
# and again while they are made, and once more at exit, took a third of the CPU time of a short step. What a
# step itself leaves in circles is still collected.
gc.set_threshold(20_000, 50, 50)
atexit.register(gc.freeze)

from truerate.cli import main  # noqa: E402 - after the above, which is for this import too

sys.exit(main())
