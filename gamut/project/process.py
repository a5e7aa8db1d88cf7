"""Settings of a process that runs a stage or a command, made before slow imports. `import gamut` makes none of them: a
user of the library decides for themselves.
"""

import atexit
import gc
import os
import signal
import threading
from functools import cache


@cache  # several packages of one process call it, some after put_imports_aside
def prepare_process() -> None:
    """Make Python collect garbage rarely, and NumPy and SciPy multiply in one thread unless the environment says
    otherwise. Products here are small: in several threads they take several times as long when other processes use
    the cores, and sums may differ in their last bits.
    """
    # Most objects of a short stage are its imports, which stay to its end. To walk them again and again as they grow,
    # and a last time at the end, takes a fifth of the stage's time.
    gc.set_threshold(200_000)
    atexit.register(gc.freeze)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is imported, which is later
    # For its first model, Pydantic searches the metadata of all packages for plugins; gamut has none.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def put_imports_aside() -> None:
    """Make Python's collector ignore all objects of now, and run more often from now on."""
    prepare_process()
    gc.freeze()
    gc.set_threshold(20_000)


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def follow_parent() -> None:
    """End this worker when its parent is gone; Ctrl-C is the parent's to handle.

    It exits at once, because to unload everything would take a third of a second. Its exit code is not read.
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
