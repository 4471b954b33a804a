# `make run`, `make test`, and `make bench` for figures.
PYTHON ?= python3.11
BIN := .venv/bin

.PHONY: run test bench check

run: .venv/.run
	@exec $(BIN)/python manage.py up

test: .venv/.dev
	@$(BIN)/python -m tests.gate

bench: .venv/.dev
	@$(BIN)/python -m tests.bench

.venv/.run: requirements.lock
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || python3 -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

.venv/.dev: .venv/.run requirements-dev.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@
