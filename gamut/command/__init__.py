"""The command gamut, and what it prints."""

from gamut.project.process import prepare_process

prepare_process()
