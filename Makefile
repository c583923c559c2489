# Everything sets itself up: a bare machine needs Python >= 3.11 with venv, and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
UV     := 0.13.9

.PHONY: demo test check local format clean setup lock iam bench openapi fuzz load mutation scale campaign screenshots conformance crash stateful worked-example
.DEFAULT_GOAL := demo

demo: $(READY) ## deploy on the embedded stack and run the proofs
	$(BIN)/cesta provas

test: $(READY) ## all tests, by three workers on two cores, for they mostly wait; what shares a stack stays in one of them
	$(BIN)/python -m pytest -n 3 --no-loadscope-reorder

check: $(READY) ## lint, format, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright

local: $(READY) ## keep the embedded stack up
	$(BIN)/cesta local

screenshots: $(READY) ## real orders at each end, as people see them -> docs/pedido.md, docs/img (needs chromium)
	$(BIN)/python -m tests.pictures

conformance: $(READY) ## write docs/conformance.md again, from the facts in tests/conformance
	$(BIN)/python -m tests.conformance.table

openapi: $(READY) ## write docs/openapi.json again, from the code
	$(BIN)/python -m infra.public_openapi

fuzz: $(READY) ## 10,000 hostile requests; FUZZ="--casos 500 --semente 7" for others
	$(BIN)/python -m tests.e2e.fuzz $(FUZZ)

load: $(READY) ## every load docs/scale.md tells of, some ten minutes on 2 idle cores -> docs/scale-load.json
	$(BIN)/python -m infra.local.load --todas --gravar docs/scale-load.json

scale: $(READY) ## a million orders a day against AWS's limits, simulated -> docs/scale.md
	$(BIN)/python -m tests.scale

campaign: $(READY) ## 1,000 orders under fire, beside the two designs it replaces; writes docs/campaign.md
	$(BIN)/python -m tests.campaign --docs $(CAMPAIGN)

mutation: $(READY) ## every small mistake in the saga, and who finds it
	$(BIN)/python -m tests.saga.mutation.score

bench: $(READY) ## ours beside the limit of each thing: writes docs/performance.json and .md; BENCH="--somente post" for one
	$(BIN)/python -m tests.bench $(BENCH)

crash: $(READY) ## every place where a process can die, in every scenario; CRASH=--todos in every repetition too, --pares two deaths
	$(BIN)/python -m tests.crash $(CRASH)

stateful: $(READY) ## orders, accidents, people and time in any order; SEED=7 EXAMPLES=5000 for others
	$(BIN)/python -m tests.stateful --semente $(or $(SEED),1) --exemplos $(or $(EXAMPLES),1000)

iam: $(READY) ## one permission fewer at a time, of every function: the order is denied and still ends safe
	CESTA_IAM=completo $(BIN)/python -m pytest tests/e2e/iam/test_removals.py -q

worked-example: $(READY) ## follow docs/change-the-saga.md on a copy, write its output again, prove the result on a stack
	$(BIN)/python -m tests.support.worked_example

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

setup: $(READY)

# A half-made environment has no stamp and is made again.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; set PYTHON=python3.x" >&2; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/uv --version 2>/dev/null | grep -q "uv $(UV) " || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV)
	@$(BIN)/uv pip sync --quiet --python $(BIN)/python requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@

lock: ## resolve pyproject.toml again
	$(BIN)/uv pip compile pyproject.toml --extra dev --python-version 3.11 --generate-hashes --quiet -o requirements.lock

clean:
	rm -rf $(VENV) .cesta
