# Everything sets itself up: a bare machine needs Python >= 3.11 with venv, and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
UV     := 0.13.9

.PHONY: demo test check local format clean setup lock iam openapi fuzz load mutation
.DEFAULT_GOAL := demo

demo: $(READY) ## deploy on the embedded stack and run the proofs
	$(BIN)/cesta provas

test: $(READY) ## all tests, by two workers; what shares a stack stays in one of them
	$(BIN)/python -m pytest -n 2 --dist loadgroup --no-loadscope-reorder

check: $(READY) ## lint, format, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright

local: $(READY) ## keep the embedded stack up
	$(BIN)/cesta local

openapi: $(READY) ## write docs/openapi.json again, from the code
	$(BIN)/python -m infra.public_openapi

fuzz: $(READY) ## 10,000 hostile requests; FUZZ="--casos 500 --semente 7" for others
	$(BIN)/python -m tests.e2e.fuzz $(FUZZ)

load: $(READY) ## the POST's p99 with 2 clients, then 500 orders with 8, duplicates and poison among them
	$(BIN)/python -m infra.local.load --pedidos 200 --clientes 2 --duplicados 0 --divergentes 0 --malformadas 0 --p99-ms 300
	$(BIN)/python -m infra.local.load --pedidos 500 --clientes 8 $(LOAD)

mutation: $(READY) ## every small mistake in the saga, and who finds it
	$(BIN)/python -m tests.saga.mutation.score

iam: $(READY) ## one permission fewer at a time, of every function: the order is denied and still ends safe
	CESTA_IAM=completo $(BIN)/python -m pytest tests/e2e/iam/test_removals.py -q

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
