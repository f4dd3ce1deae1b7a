# Every target sets itself up: a virtual environment with pinned versions, then the task.
# Override PYTHON to choose the interpreter, VENV to choose where the environment goes.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SOURCES := setup.py pyproject.toml constraints.txt \
	$(wildcard nash_ismcts_spiel/native/*/*.cc nash_ismcts_spiel/native/*/*.h)

# The environment variables hold for the isolated build as well, which `-c` does not reach.
PIP_ENV := PIP_CONSTRAINT="$(abspath constraints.txt)" \
	PIP_BUILD_CONSTRAINT="$(abspath constraints.txt)" PIP_DISABLE_PIP_VERSION_CHECK=1

# A line per step of pip's, 80 columns wide; everything else is in the log, whose end is shown if pip
# fails. With --progress-bar off nothing is drawn over these lines; sed -u shows each at once, which
# not every awk does.
LOG := $(VENV)/install.log
STEPS := sed -u -n -E '/^ *(Collecting|Downloading|Building|Installing|Successfully)/ { /[.]metadata/ d; \
	s,https?:[^ ]*/,,g; s/^(.{79}).*/\1/; p }'

CPP := $(wildcard nash_ismcts_spiel/native/*/*.cc nash_ismcts_spiel/native/*/*.h \
	tests/native/*.cc tests/native/*.h tests/native/*/*.cc)

# A copy of what the native tests need: a sanitized extension never lies in the working tree. Python
# allocates from very many places: with whole stacks of them the sanitizer slows down more and more.
SANITIZED := build/sanitize
SANITIZED_SOURCES := setup.py pyproject.toml README.md LICENSE benchmarks nash_ismcts_spiel exploitability tests
SANITIZED_TESTS := tests/test_native_search.py tests/test_native_exact.py \
	tests/test_native_inputs.py tests/test_native_hostile.py tests/test_public_states.py tests/test_bot.py \
	tests/test_games.py tests/test_states.py tests/test_registration.py tests/test_episodes.py \
	tests/test_subgames.py tests/test_merged.py tests/test_splitting.py \
	tests/test_tensors.py tests/test_self_play.py tests/test_drawn_worlds.py \
	tests/test_view_forest.py tests/test_merged_ismcts.py tests/test_prior_beliefs.py \
	tests/test_boards.py

.DEFAULT_GOAL := help
.PHONY: help install demo results test test-all test-native test-threads test-wheel lint docs format \
	sanitize clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-11s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

install: $(STAMP)  ## set up the virtual environment and build the C++ part

demo: $(STAMP)  ## search pays, policy collapse, two trainings, matches; a page in out/demo.html
	$(BIN)/python examples/search_pays.py --plot=out/search_pays.png
	@$(BIN)/python examples/demo.py --nocurve

results: $(STAMP)  ## remake all tables and figures of docs/results; RESULTS="--quick" to try it
	$(BIN)/python -m benchmarks.results $(RESULTS)

test: $(STAMP)  ## run the tests that CI runs
	$(BIN)/python -m pytest -q -n 2 -m "not slow"

test-all: $(STAMP)  ## run all tests, slow ones included
	$(BIN)/python -m pytest -q -n 2

test-wheel: $(STAMP)  ## build the sdist and the wheel, and try them in new environments without torch
	@$(PIP_ENV) $(BIN)/python -m pip install -q -c constraints.txt build
	$(BIN)/python tests/release/try_release.py

test-native:  ## run the C++ tests with the address and undefined-behaviour sanitizers; no Python
	@$(MAKE) -s -j 2 -C tests/native run SANITIZE=1 OUT=$(abspath build/test-native)

format: $(STAMP)  ## format Python and C++
	$(BIN)/python -m ruff format .
	$(BIN)/clang-format -i $(CPP)

test-threads:  ## run C++ searches side by side with the thread sanitizer; no Python
	@$(MAKE) -s -j 2 -C tests/native run THREADS=1 SANITIZE=thread OUT=$(abspath build/test-threads)

lint: $(STAMP)  ## check format, style and types
	$(BIN)/python -m ruff format --check .
	$(BIN)/clang-format --dry-run -Werror $(CPP)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy

docs: $(STAMP)  ## build the documentation as a site in build/site; dead links are errors
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo "build/site/index.html"

sanitize: $(STAMP)  ## run the native tests with the address and undefined-behaviour sanitizers
	@$(PIP_ENV) $(BIN)/python -m pip install -q -c constraints.txt pybind11 setuptools
	@mkdir -p $(SANITIZED)
	@rm -rf $(addprefix $(SANITIZED)/,$(SANITIZED_SOURCES))
	@tar -c --exclude=__pycache__ --exclude='*.so' $(SANITIZED_SOURCES) | tar -x -C $(SANITIZED)
	cd $(SANITIZED) && NASH_ISMCTS_SANITIZE=1 \
		CPPFLAGS="-D_GLIBCXX_ASSERTIONS -D_GLIBCXX_SANITIZE_VECTOR=1" \
		$(abspath $(BIN))/python setup.py -q build_ext --inplace
	cd $(SANITIZED) && ASAN_OPTIONS=detect_leaks=0:malloc_context_size=2 PYTHONMALLOC=malloc PYTHONPATH=. \
		LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
		$(abspath $(BIN))/python -m pytest -q -m "not slow" -p no:cacheprovider --capture=sys \
		$(SANITIZED_TESTS)

clean:  ## remove the virtual environment and everything built
	rm -rf $(VENV) build out *.egg-info nash_ismcts_spiel/*/*.so

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; choose one with make PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The stamp is newer than all that the installation depends on, or the package is installed again.
$(STAMP): $(SOURCES) | $(BIN)/python
	@echo "Installing pinned versions into $(VENV); the first time takes some minutes."
	@rm -f $(LOG).failed
	@{ $(PIP_ENV) PYTHONUNBUFFERED=1 $(BIN)/python -m pip install --progress-bar off \
		-c constraints.txt -e ".[test,plot]" 2>&1 || touch $(LOG).failed; } | tee $(LOG) | $(STEPS)
	@if [ -e $(LOG).failed ]; then tail -n 40 $(LOG) >&2; \
		echo "The installation failed; all that pip said is in $(LOG)." >&2; exit 1; fi
	@touch $(STAMP)
