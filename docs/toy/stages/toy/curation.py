"""The toy as the commands see it: how its items are reviewed."""

from gamut.evaluation.curating.curation import Curation
from stages.toy.shared.benchmark import TOY

CURATION = Curation(benchmark=TOY, texts=("prompt", "expected"), beside=("kind",))
