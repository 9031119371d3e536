# make demo and make test are all a newcomer needs; each sets up what it uses.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# Bytecode is kept wherever it is imported: hundreds of tests start Python, which would compile torch anew each time.
unexport PYTHONDONTWRITEBYTECODE
EXTRAS := tokens,html,files,plot,hub,eval,train,serve,batch,ray,langchain,llama-index,haystack,spacy,mcp

.DEFAULT_GOAL := help
.PHONY: help demo test pytest lint docs docs-build peers own-texts nested context bench load scale results tables \
  quality-update siamese screenshot soak chromium clean wheel-test share dist oldest newest mutants hashes site

help: ## Show the commands
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: $(VENV)/base ## Summarize two examples at three budgets (installs the base package only)
	@$(BIN)/python examples/demo.py

# mypy and the wheel need a minute of one core; the tests are not always busy on two.
test: $(VENV)/dev chromium ## Everything that continuous integration checks
	@$(MAKE) --no-print-directory --jobs 3 lint wheel-test pytest

# Two further processes work while others wait for servers and browsers. In their own order, the longest files are not
# among the last, so all processes end at about the same time.
pytest: $(VENV)/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest --numprocesses 4 --dist loadfile --no-loadscope-reorder

lint: $(VENV)/dev ## Style, types and the import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/dev ## Show the documentation at http://127.0.0.1:8001
	$(BIN)/python docs/_build.py serve

docs-build: $(VENV)/dev ## Build the documentation into build/site; a broken link is an error (tests/test_docs.py does it, too)
	$(BIN)/python docs/_build.py build

site: $(VENV)/dev ## Build the page with its examples, which needs no server, into build/site/page (docs-build does it, too)
	$(BIN)/python benchmarks/static_page.py

peers: $(VENV)/dev ## Quality and speed beside sumy in one run, printed as Markdown (a minute)
	$(BIN)/python benchmarks/peers.py

own-texts: $(VENV)/dev ## What training on texts of one's own brings, printed as Markdown (minutes)
	$(BIN)/python benchmarks/own_texts.py

nested: $(VENV)/dev ## What it costs that a larger budget only adds sentences, printed as Markdown (minutes)
	$(BIN)/python benchmarks/nested.py --documents 150

context: $(VENV)/dev ## What a query over passages costs, and reviews without one, printed as Markdown (a minute)
	$(BIN)/python benchmarks/context.py

bench: $(VENV)/dev ## Speed and memory beside other tools, printed as Markdown
	$(BIN)/python benchmarks/speed.py

soak: $(VENV)/dev ## What takes long or depends on chance: times, random examples, then harm for an hour (FLAGS='--minutes 5')
	$(BIN)/pytest -m 'soak or hypothesis' --hypothesis-profile soak
	$(BIN)/python benchmarks/soak.py $(FLAGS)

load: $(VENV)/dev ## The service under load, printed as Markdown
	$(BIN)/python benchmarks/load.py

scale: $(VENV)/dev ## Measure the batch job and write docs/scale.md (minutes)
	$(BIN)/python benchmarks/scale.py --write

results: $(VENV)/dev ## Measure every scorer on every dev set and write results/rouge.csv and results/reading.csv (40 minutes)
	$(BIN)/python benchmarks/results.py

tables: $(VENV)/dev ## Train and measure the rows of the paper's tables and write results/tables.csv (an hour or more)
	$(BIN)/python benchmarks/tables.py

siamese: $(VENV)/dev ## Train the siamese objectives in many settings and write results/siamese.csv (hours; it can be stopped)
	$(BIN)/python benchmarks/siamese.py --language en
	$(BIN)/python benchmarks/siamese.py --language zh

quality-update: $(VENV)/dev ## Raise the quality floors to what is measured (FLAGS=--allow-lower lowers them)
	$(BIN)/python tests/quality/gate.py --update $(FLAGS)

wheel-test: $(VENV)/dev ## Build the wheel and use it in an empty environment
	rm -rf build/wheel && mkdir -p build/wheel
	$(BIN)/python -m hatchling build --target wheel --directory build/wheel
	$(PYTHON) -m venv --clear build/wheel/venv
	build/wheel/venv/bin/python -m pip install --quiet --disable-pip-version-check build/wheel/tersely-*.whl
	cd build/wheel && venv/bin/tersely summarize ../../examples/harbor.txt --max-chars 280
	cd build/wheel && venv/bin/tersely summarize ../../examples/harbor.txt --max-chars 280 --scorer textrank

hashes: $(VENV)/base ## Write the versions and hashes of what 'make demo' installs, requirements.txt
	$(BIN)/python .ci/hashes.py > requirements.txt.new && mv requirements.txt.new requirements.txt

share: $(VENV)/base ## Write the manual page and the completion scripts, share/
	$(BIN)/tersely completion man > share/man/man1/tersely.1
	$(BIN)/tersely completion bash > share/bash-completion/completions/tersely
	$(BIN)/tersely completion zsh > share/zsh/site-functions/_tersely
	$(BIN)/tersely completion fish > share/fish/vendor_completions.d/tersely.fish

dist: $(VENV)/dev $(VENV)/release ## Build the sdist and the wheel into dist/ and check them
	$(BIN)/python .ci/version.py
	$(BIN)/pytest tests/test_package.py
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*

# What runs without torch and Ray.
CHECKED_EXTRAS := tokens,html,files,plot,learned,eval,serve,batch
CHECKED := tests/text tests/select tests/score tests/cli tests/serve --ignore tests/serve/page \
  --ignore tests/score/test_learned.py --ignore tests/cli/test_encode.py

oldest: ## Test with the oldest version of every dependency that pyproject.toml allows
	rm -rf build/oldest && mkdir -p build/oldest
	$(PYTHON) .ci/oldest.py > build/oldest/constraints.txt
	$(PYTHON) -m venv build/oldest/venv
	build/oldest/venv/bin/python -m pip install --quiet --upgrade pip
	build/oldest/venv/bin/python -m pip install --quiet --constraint build/oldest/constraints.txt \
	  --editable '.[$(CHECKED_EXTRAS)]' --group check
	build/oldest/venv/bin/pytest $(CHECKED)

newest: ## Test with the newest version of every dependency
	rm -rf build/newest && mkdir -p build/newest
	$(PYTHON) -m venv build/newest/venv
	build/newest/venv/bin/python -m pip install --quiet --upgrade pip
	build/newest/venv/bin/python -m pip install --quiet --upgrade --upgrade-strategy eager \
	  --editable '.[$(CHECKED_EXTRAS)]' --group check
	build/newest/venv/bin/pytest $(CHECKED)

mutants: $(VENV)/dev ## Break important lines one at a time: the tests must notice (minutes)
	$(BIN)/python benchmarks/mutants.py

screenshot: $(VENV)/dev chromium ## Take the README's picture of the page, docs/page.png
	$(BIN)/python benchmarks/screenshot.py

chromium: ## Install the browser that the tests drive, where there is none
	@for name in chromium chromium-browser google-chrome; do command -v $$name > /dev/null && exit; done; \
	sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); $$sudo apt-get update -qq && $$sudo apt-get install -y -qq chromium

clean: ## Remove what was installed and built
	rm -rf $(VENV) build dist

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Nothing that is not listed with its hash is fetched, not even to build the package.
$(VENV)/base: $(VENV)/bin/python pyproject.toml requirements.txt
	$(PIP) install --require-hashes --requirement requirements.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

# Most of these modules are never imported: compiling them all takes longer than to install them.
$(VENV)/dev: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) install --upgrade pip
	$(PIP) install --no-compile --constraint constraints.txt --editable '.[$(EXTRAS)]' --group dev --group bench --group docs
	@touch $@ $(VENV)/base

$(VENV)/release: $(VENV)/dev
	$(PIP) install --constraint constraints.txt --group release
	@touch $@
