"""The pages that people look at: `gamut report` writes boards, items, judges and the dataset as static HTML."""

from gamut.project.process import prepare_process

prepare_process()
