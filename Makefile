# make run    Loam on http://127.0.0.1:8000, out of var/: its own PostgreSQL, a demo, until Ctrl-C
# make test   every test, then every check; what CI runs
# make check  the checks first, then the tests
# make lock   requirements*.lock from requirements*.txt
# make audit  known holes in what requirements.lock names, where the network reaches who knows of them
# make css    static/css/loam.css from templates/styles/ (needs npm, once)
# make clients       five coding agents from npm into var/clients, to test with (Node 20, 1.4 GB)
# make test-clients  Loam with them: what their models are really sent; needs no model and no account
# make clean  caches; what you have written stays in var/

.DEFAULT_GOAL := run
.PHONY: run test check lint lock audit css clients test-clients clean

HOST ?= 127.0.0.1
PORT ?= 8000
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
LOCK := $(firstword $(wildcard requirements.lock) requirements.txt)
DEV_LOCK := $(firstword $(wildcard requirements-dev.lock requirements.lock) requirements-dev.txt)

run: .venv/.installed
	@exec $(BIN)/python manage.py serve --prepare --host $(HOST) --port $(PORT)

test: .venv/.installed-dev
	@OMP_NUM_THREADS=1 $(BIN)/python manage.py test
	@$(MAKE) --no-print-directory lint

check: lint
	@OMP_NUM_THREADS=1 $(BIN)/python manage.py test

lint: .venv/.installed-dev
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/djlint templates --check --quiet
	$(BIN)/djlint templates --lint --quiet
	$(BIN)/mypy accounts knowledge skills sessions_app config
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run

# The locks name neither the index nor a folder of the machine they were made on, nor its build of torch.
COMPILE := $(BIN)/pip-compile --quiet --strip-extras --no-emit-index-url --no-emit-trusted-host --no-emit-find-links

lock: .venv/.installed-dev
	$(COMPILE) --output-file requirements.lock requirements.txt
	$(COMPILE) --constraint requirements.lock --output-file requirements-dev.lock requirements-dev.txt
	sed -i 's/+cpu$$//' requirements.lock requirements-dev.lock

audit: var/audit/.installed
	@$(BIN)/python -m tests.trials.audit var/audit/bin/pip-audit $(LOCK)

# Beside .venv, for what it needs is nothing to us.
var/audit/.installed: .venv/.installed-dev
	@mkdir -p var && $(BIN)/python -m venv --clear var/audit
	@var/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit==2.10.1
	@touch $@

# The versions that the figures in the README are of. Of their install scripts the two that put a program in its place
# are run.
CLIENTS := @anthropic-ai/claude-code@2.1.330 @openai/codex@0.169.0 @google/gemini-cli@0.61.0 opencode-ai@1.18.33 \
	@github/copilot@1.0.102

clients:
	@mkdir -p var/clients
	npm install --prefix var/clients --no-audit --no-fund --ignore-scripts $(CLIENTS)
	cd var/clients/node_modules/@anthropic-ai/claude-code && node install.cjs
	cd var/clients/node_modules/opencode-ai && node postinstall.mjs

# make test-clients ONLY='claude-code killed_mid_edit' for some; CAPTURE=1 writes the fixtures of `make test` anew.
test-clients: .venv/.installed-dev
	@$(BIN)/python -m tests.clients $(if $(CAPTURE),--capture) $(if $(ONLY),--only $(ONLY))

css: .venv/.installed-dev
	@mkdir -p var/css
	@test -d var/css/node_modules/daisyui || npm install --prefix var/css --no-audit --no-fund daisyui@5.8.1
	$(BIN)/tailwindcss -i templates/styles/loam.css -o static/css/loam.css --minify

clean:
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis staticfiles *.egg-info
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

# --- .venv --------------------------------------------------------------------------------------------------
# A Python that Loam runs on and that can make a venv; a link to one that is gone, or out of reach, is made anew.
FIND_PYTHON := for python in python3.11 python3.12 python3.13 python3; do \
	$$python -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' \
	2>/dev/null && { command -v $$python; break; }; done

$(BIN)/python:
	@python=$$($(FIND_PYTHON)); \
	test -n "$$python" || { echo "Loam needs Python 3.11 to 3.13 with venv (Debian: apt install python3-venv)."; exit 1; }; \
	"$$python" -m venv --clear .venv

.venv/.installed: $(LOCK) | $(BIN)/python
	@echo "Installing what $(LOCK) names into .venv; the first time that takes some minutes."
	@$(PIP) -r $(LOCK)
	@touch $@

.venv/.installed-dev: $(DEV_LOCK) | $(BIN)/python
	@echo "Installing what $(DEV_LOCK) names into .venv; the first time that takes some minutes."
	@$(PIP) -r $(DEV_LOCK)
	@touch $@
