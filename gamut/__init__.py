"""gamut: text-to-image reasoning datasets and benchmark leaderboards that anyone can rebuild, version and diff.

NumPy and SciPy multiply in one thread, unless the environment says otherwise: products here are small, in several
threads they take several times as long where other processes use the cores, and sums may differ in their last bits.
"""

import atexit
import gc
import os

# Most of what a short stage holds is what it imports, which stays to its end: to walk it again and again as it grows,
# and a last time at the end, takes a fifth of the stage's time.
gc.set_threshold(200_000)
atexit.register(gc.freeze)
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is imported, which is later
# At its first model Pydantic looks for plugins through the metadata of all packages; gamut has none.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def put_imports_aside() -> None:
    """Have Python's collector pass over what is there by now, and come by more often from now on."""
    gc.freeze()
    gc.set_threshold(20_000)
