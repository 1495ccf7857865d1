# make demo: build everything on the closed world · make test: all tests but the longer proofs · make proofs: these · make lint: style and types
# make real DATA=DIR: the boards of public files (with TABLES=FILE their tables into a file with markers, too, as benchmarks/REAL.md is).
# Each sets up what it needs in .venv, with the pins of constraints.txt.
PYTHON ?= python3
VENV   := .venv
BIN    := $(CURDIR)/$(VENV)/bin
DATA   ?= ../shared/data
WORK   ?= build/real
export PATH := $(BIN):$(PATH)
export DVC_NO_ANALYTICS := 1
# dozens of processes import the same 600 modules: where an image forbids bytecode, each would compile them anew (40 % of its CPU)
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test proofs real bench lint clean
demo: $(VENV)/.installed
	truerate build
	@truerate where

test: $(VENV)/.tested
	python -m pytest -n auto --dist loadgroup

proofs: $(VENV)/.tested
	python benchmarks/proofs.py -n auto --dist loadgroup --write benchmarks/RESULTS.md

real: $(VENV)/.installed
	truerate real "$(DATA)" --work "$(WORK)" $(if $(TABLES),--tables "$(TABLES)")

bench: $(VENV)/.tested
	python benchmarks/llm.py --write benchmarks/RESULTS.md
	python benchmarks/coverage.py --write benchmarks/RESULTS.md
	python benchmarks/ranks_best.py --write benchmarks/RESULTS.md
	python benchmarks/recover.py --write benchmarks/RESULTS.md
	python benchmarks/rates.py --write benchmarks/RESULTS.md
	python benchmarks/rates_scale.py --write benchmarks/RESULTS.md
	test ! -d ../shared/data_original || python benchmarks/rate_ragtruth.py --write benchmarks/RESULTS.md
	python benchmarks/training.py --write benchmarks/RESULTS.md
	python benchmarks/scoring.py --write benchmarks/RESULTS.md
	python benchmarks/wildfact.py --write benchmarks/RESULTS.md
	python benchmarks/bm25.py --write benchmarks/RESULTS.md
	python benchmarks/evidence_world.py --write benchmarks/RESULTS.md
	test ! -d ../shared/data || python benchmarks/evidence.py --data ../shared/data --write benchmarks/RESULTS.md
	python benchmarks/helma_scale.py --write benchmarks/RESULTS.md
	python benchmarks/halludial.py --write benchmarks/RESULTS.md
	python benchmarks/halludial_seeds.py --write benchmarks/RESULTS.md
	python benchmarks/hallujudge.py --write benchmarks/RESULTS.md
	python benchmarks/hallujudge.py --causal --write benchmarks/RESULTS.md
	python benchmarks/translate_train.py --write benchmarks/RESULTS.md
	python benchmarks/kill_publisher.py --write benchmarks/RESULTS.md
	python benchmarks/mutations.py --write benchmarks/RESULTS.md
	python benchmarks/core_size.py --write benchmarks/RESULTS.md
	python benchmarks/site.py --write benchmarks/RESULTS.md
	python benchmarks/house.py --before cc9dc761 --write benchmarks/RESULTS.md
	python benchmarks/suite.py --write benchmarks/RESULTS.md

lint: $(VENV)/.tested
	ruff check --no-cache src tests benchmarks scripts
	ruff format --check src tests benchmarks scripts
	mypy
	snakefmt --check Snakefile rules
	python benchmarks/house.py --check

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[build]'
	@touch $@

$(VENV)/.tested: $(VENV)/.installed
	pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

clean:
	rm -rf build .snakemake $(VENV)
