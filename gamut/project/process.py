"""What a process does first that runs a stage or a command, before it imports what takes time. `import gamut` does none
of it: whoever uses the library decides so for himself.
"""

import atexit
import gc
import os
import signal
import threading
from functools import cache


@cache  # several packages of one process call it, some after put_imports_aside
def prepare_process() -> None:
    """Have Python collect garbage seldom, and NumPy and SciPy multiply in one thread where the environment does not say
    otherwise: products here are small, in several threads they take several times as long where other processes use
    the cores, and sums may differ in their last bits.
    """
    # Most of what a short stage holds is what it imports, which stays to its end: to walk it again and again as it
    # grows, and a last time at the end, takes a fifth of the stage's time.
    gc.set_threshold(200_000)
    atexit.register(gc.freeze)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is imported, which is later
    # At its first model Pydantic looks for plugins through the metadata of all packages; gamut has none.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def put_imports_aside() -> None:
    """Have Python's collector pass over what is there by now, and come by more often from now on."""
    prepare_process()
    gc.freeze()
    gc.set_threshold(20_000)


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def follow_parent() -> None:
    """End this worker when its parent is gone; Ctrl-C is the parent's to handle.

    It exits at once, as taking down all that it has loaded would last a third of a second. Nobody reads its exit code.
    """
    atexit.register(os._exit, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from multiprocessing import parent_process  # takes a while to import, and few have children

    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
