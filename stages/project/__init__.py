"""What a project is: errors, files, parameters, settings, DVC's files, how a stage starts and ends."""

import atexit
import gc

# Most of what a short stage holds is what it imports, which stays to its end: to walk it again and again, and a last
# time at the end, takes a fifth of the stage's time.
gc.set_threshold(20_000)
atexit.register(gc.freeze)
