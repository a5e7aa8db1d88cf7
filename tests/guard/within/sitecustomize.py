"""Loaded by every Python that starts with this folder on its path: a stage's processes write down what they read.

GAMUT_TEST_READS is a folder, in which each process has a file. A line of it is a kind and a value: `run` the command of
the stage, `values` the files of parameters that it found, then what it read, each once and at once, so that a process
that is forked or killed leaves it too. Nothing in the product knows of this.
"""

import os
import sys

STAGE = "GAMUT_TEST_READS_OF"
"""The command of the stage, for the processes that it starts."""


def command() -> str:
    """`python -m gamut.…` or `python -m stages.…` with its words, where this process or who started it is that."""
    words = sys.orig_argv[1:]
    if words[:1] == ["-m"] and len(words) > 1 and words[1].startswith(("gamut.", "stages.", "tests.end_to_end.")):
        os.environ[STAGE] = " ".join(["python", *words])
    return os.environ.get(STAGE, "")


if os.environ.get("GAMUT_TEST_READS") and command():
    import reads_of_files
    import reads_of_parameters
    from records import begin

    begin(os.environ[STAGE])
    reads_of_parameters.trace()
    reads_of_files.trace()
