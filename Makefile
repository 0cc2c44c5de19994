# make demo     sets everything up and answers a question on embedded data
# make test     installs what the checks need and runs all of them
# make test-browser  looks at the page in Chromium (Debian: apt-get install chromium)
# make bench    measures what docs/benchmarks.md claims
# make paper    computes every figure and number of the paper, into out/paper
# make docs     builds the site from pages that are run, into out/docs, and checks its links
# make package  builds sdist and wheel, and tries each in an environment of its own

PYTHON := $(shell for python in python3.11 python3.12 python3.13 python3; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)
BIN := .venv/bin
INSTALL := PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet

.PHONY: demo test test-browser bench paper docs package clean

demo: .venv/installed
	@rm -rf out/demo
	@$(BIN)/python -m untaken.present.demo

test: .venv/installed-for-tests
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/pytest

test-browser: .venv/installed-for-tests
	$(BIN)/pytest tests/browser

bench: .venv/installed-for-tests
	$(BIN)/python -m benchmarks

paper: .venv/installed-for-tests
	$(BIN)/untaken paper -o out/paper

docs: .venv/installed-for-docs
	rm -rf out/docs
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/sphinx-build -q -W --keep-going docs out/docs
	$(BIN)/python docs/check.py out/docs

package: .venv/installed-for-package
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python release/try_package.py dist

clean:
	rm -rf .venv

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "untaken needs Python 3.11 or later" >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml constraints.txt | .venv/bin/python
	$(INSTALL) --editable '.[plot]'
	@touch $@

.venv/installed-for-tests: pyproject.toml constraints.txt | .venv/bin/python
	$(INSTALL) --editable '.[test]'
	@touch $@ .venv/installed

.venv/installed-for-docs: pyproject.toml constraints.txt | .venv/bin/python
	$(INSTALL) --editable '.[docs]'
	@touch $@ .venv/installed

.venv/installed-for-package: pyproject.toml constraints.txt | .venv/bin/python
	$(INSTALL) --editable '.[package]'
	@touch $@
