# `make` alone runs Loam; `make help` lists the targets.

.DEFAULT_GOAL := run
.PHONY: help run several test test-all check lint lock lock-torch audit sbom docs css clients test-clients clean

HOST ?= 127.0.0.1
PORT ?= 8000
BIN := .venv/bin
# Nothing is installed without a hash in a lock file.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes
LOCK := requirements.lock
DEV_LOCK := requirements-dev.lock
TORCH_LOCK := requirements-torch.lock
TORCH_PYPI_LOCK := requirements-torch-pypi.lock
TORCH_INDEX := https://download.pytorch.org/whl/cpu

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: .venv/.installed ## Loam on http://127.0.0.1:8000 with PostgreSQL in var/ and demo data; Ctrl-C stops it
	@exec $(BIN)/python manage.py serve --prepare --host $(HOST) --port $(PORT)

several: .venv/.installed-dev ## Loam on several machines, on this one: two web, HAProxy, PgBouncer, Redis, three PostgreSQL
	@mkdir -p var/several
	@LOAM_VAR=$(CURDIR)/var/several exec $(BIN)/python -m tests.trials.several --port $(PORT)

# One thread for the model in each process; each file compiled once, not by every process and every server that a test
# starts, on a machine that has PYTHONDONTWRITEBYTECODE set.
TESTS := OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python manage.py test

test: .venv/.installed-dev ## all tests, then lint; what CI runs
	@$(TESTS)
	@$(MAKE) --no-print-directory lint

test-all: .venv/.installed-dev ## all tests, with whole sweeps and slow trials
	@LOAM_WHOLE_SWEEPS=1 $(TESTS)

check: lint ## lint, then all tests
	@$(TESTS)

lint: .venv/.installed-dev ## format, lint, types, import contracts, missing migrations
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/djlint templates --check
	$(BIN)/djlint templates --lint --quiet
	$(BIN)/mypy accounts knowledge skills sessions_app config
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run

# The locks name neither the index nor a folder of the machine they were made on. torch is in a lock of its own, for its
# CPU build is on another index: docs/operations/supply-chain.md. The last line of `lock` takes away a warning of that.
COMPILE := $(BIN)/pip-compile --quiet --strip-extras --no-emit-index-url --no-emit-trusted-host --no-emit-find-links \
	--generate-hashes --unsafe-package pip --unsafe-package torch

lock: .venv/.installed-dev ## renew requirements*.lock, with hashes; takes ten minutes
	$(COMPILE) --output-file requirements.lock requirements.txt
	$(COMPILE) --constraint requirements.lock --output-file requirements-dev.lock requirements-dev.txt
	$(COMPILE) --constraint requirements-dev.lock --output-file requirements-traces.lock requirements-traces.txt
	$(COMPILE) --output-file requirements-tools.lock requirements-tools.txt
	$(COMPILE) --constraint requirements-dev.lock --output-file requirements-docs.lock requirements-docs.txt
	sed -i '/^# WARNING: The following packages were not pinned/,$$d' requirements*.lock

# Resolved against the package index alone, regardless of pip's configuration.
lock-torch: .venv/.installed-dev ## renew requirements-torch-pypi.lock
	@mkdir -p var && sed -n '/^torch==/p' requirements.txt > var/torch.in
	PIP_CONFIG_FILE=/dev/null PIP_FIND_LINKS= $(BIN)/pip-compile --quiet --no-config --strip-extras --no-emit-index-url \
		--no-emit-find-links --no-emit-trusted-host --generate-hashes --allow-unsafe --no-annotate --no-header \
		--constraint requirements.lock --output-file $(TORCH_PYPI_LOCK) var/torch.in

audit: var/tools/.installed ## known vulnerabilities of the locked packages
	@$(BIN)/python -m tests.trials.audit var/tools/bin/pip-audit $(LOCK) $(TORCH_PYPI_LOCK)

sbom: var/tools/.installed ## bill of materials (CycloneDX 1.6) in var/sbom/loam.cdx.json
	@mkdir -p var/sbom
	@cat $(LOCK) $(TORCH_LOCK) | var/tools/bin/cyclonedx-py requirements --output-reproducible --spec-version 1.6 \
		--pyproject pyproject.toml --mc-type application --output-file var/sbom/loam.cdx.json -
	@echo "var/sbom/loam.cdx.json names what $(LOCK) and $(TORCH_LOCK) do."

# Apart from .venv: these tools need packages that Loam does not.
var/tools/.installed: requirements-tools.lock .venv/.installed-dev
	@mkdir -p var && $(BIN)/python -m venv --clear var/tools
	@var/tools/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-tools.lock
	@touch $@

# The versions measured in docs/real-clients.md. Only the two install scripts that put a program in place are run.
CLIENTS := @anthropic-ai/claude-code@2.1.330 @openai/codex@0.169.0 @google/gemini-cli@0.61.0 opencode-ai@1.18.33 \
	@github/copilot@1.0.102

clients: ## install five coding agents from npm into var/clients (Node 20, 1.4 GB)
	@mkdir -p var/clients
	npm install --prefix var/clients --no-audit --no-fund --ignore-scripts $(CLIENTS)
	cd var/clients/node_modules/@anthropic-ai/claude-code && node install.cjs
	cd var/clients/node_modules/opencode-ai && node postinstall.mjs

# make test-clients ONLY='claude-code killed_mid_edit' for some; CAPTURE=1 writes the fixtures of `make test` again;
# RECORDED=FOLDER replays the conversations in a folder, too, and prints what Loam costs the prompt cache (half an hour).
test-clients: .venv/.installed-dev ## run those agents against Loam with scripted models, ten minutes; ONLY='codex', CAPTURE=1
	@$(BIN)/python -m tests.clients $(if $(CAPTURE),--capture) $(if $(RECORDED),--recorded $(RECORDED)) $(if $(ONLY),--only $(ONLY))

docs: var/docs-tools/.installed ## the documentation as a site in var/docs; ends at a broken link
	@NO_MKDOCS_2_WARNING=1 var/docs-tools/bin/mkdocs build --quiet
	@echo "var/docs/tutorial.html"

var/docs-tools/.installed: requirements-docs.lock .venv/.installed-dev
	@mkdir -p var && $(BIN)/python -m venv --clear var/docs-tools
	@var/docs-tools/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-docs.lock
	@touch $@

css: .venv/.installed-dev ## build static/css/loam.css from templates/styles/ (npm)
	@mkdir -p var/css
	@test -d var/css/node_modules/daisyui || npm install --prefix var/css --no-audit --no-fund daisyui@5.8.1
	$(BIN)/tailwindcss -i templates/styles/loam.css -o static/css/loam.css --minify

clean: ## remove caches; data in var/ stays
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

# torch first: pip takes what is there for the rest. Its CPU build is looked for where pip is configured to look, then at
# PyTorch's own index; the same hashes hold for both. Where neither has it, it is the build of the Python package index.
define install
	@echo "Installing what $(1) names into .venv; the first time that takes some minutes."
	@$(PIP) --no-deps -r $(TORCH_LOCK) 2>/dev/null \
		|| $(PIP) --no-deps --retries 1 --index-url $(TORCH_INDEX) -r $(TORCH_LOCK) \
		|| { echo "No CPU build of torch; taking the one of the package index, some gigabytes."; \
		$(PIP) -r $(TORCH_PYPI_LOCK); }
	@$(PIP) -r $(1)
	@touch $@
endef

.venv/.installed: $(LOCK) $(TORCH_LOCK) | $(BIN)/python
	$(call install,$(LOCK))

.venv/.installed-dev: $(DEV_LOCK) $(TORCH_LOCK) | $(BIN)/python
	$(call install,$(DEV_LOCK))
