# make check is what a change must pass.

GO ?= go
FUZZTIME ?= 30s

.PHONY: check platforms lines test slow golden bench bench-peers bench-runs arviz gpu experiments fuzz fuzz-models mutate kills same measure install release release-check rename wheel wheels python r site playground-check

check:
	$(GO) mod tidy -diff
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt -w these:"; echo "$$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(MAKE) lines
	CGO_ENABLED=0 $(GO) build -tags nonative,nogorgonia -o /dev/null ./cmd/ppl
	$(GO) test -timeout 30m ./...
	$(MAKE) golden SKIP=TestScripts
	git diff --exit-code -- '*testdata*'

# Compiles the command for every system that is released, and for the browser. It links nothing, so a warm cache makes it
# a matter of seconds.
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64 js/wasm
platforms:
	@set -e; for platform in $(PLATFORMS); do echo "compile for $$platform"; \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GO) list -export -f '' ./cmd/ppl > /dev/null; done

# No line is longer than 120 columns, raw strings aside.
lines:
	PPL_LINES=1 $(GO) test -count=1 -run '^TestLines$$' .

test:
	$(GO) test -timeout 30m ./...

# Posteriors against published numbers, long statistical tests; then what runs on several threads, with the race
# detector, which needs cgo and a C compiler.
slow:
	PPL_SLOW=1 $(GO) test -timeout 60m ./...
	CGO_ENABLED=1 $(GO) test -race -timeout 60m ./runtime/... ./posterior/store ./infer/renhd/... ./cmd/ppl

# Rewrites the golden files of the packages that have them. Scripts compare what they print whenever they run, and take
# minutes: check does not run them twice.
SKIP ?=
golden:
	$(GO) test -timeout 30m -skip '$(SKIP)' $$(grep -rl '"update"' --include='*_test.go' . | xargs -n1 dirname | sort -u) -update

# Compiled models against C and Go by hand; BENCHTIME turns each. The output is benchstat's input.
BENCHTIME ?= 100x
bench:
	@$(GO) test -run '^$$' -bench . -benchtime $(BENCHTIME) -count 5 ./bench > bench.txt || { cat bench.txt; exit 1; }
	@$(GO) tool benchstat bench.txt

# Compares ppl with other systems and writes bench/RESULTS.md. PEERS is a Python environment, made the first time (some 6 GB); PARTS names
# the parts of bench/peers/peers.py to run again.
PEERS ?= bench/.peers
PARTS ?=
bench-peers:
	test -d $(PEERS) || python3 -m venv $(PEERS)
	$(PEERS)/bin/pip install -q -r bench/peers/requirements.txt
	mkdir -p $(PEERS)/work
	$(GO) build -o $(PEERS)/work/ppl ./cmd/ppl
	$(GO) build -o $(PEERS)/work/side ./bench/side
	BENCHTIME=$(BENCHTIME) $(PEERS)/bin/python bench/peers/peers.py $(abspath $(PEERS))/work $(PARTS)

# Times whole runs and writes bench/WHOLE.md. PYTHON is a Python with the packages of bench/peers/requirements.txt, if other systems are to be
# timed as well; SYSTEMS and TARGETS, with semicolons between names, choose what is run again.
PYTHON ?=
SYSTEMS ?=
TARGETS ?=
SEEDS ?= 3
bench-runs:
	mkdir -p bench/.whole
	$(GO) build -o bench/.whole/ppl ./cmd/ppl
	$(GO) run ./bench/whole -ppl bench/.whole/ppl -work bench/.whole -seeds $(SEEDS) -python "$(PYTHON)" -systems "$(SYSTEMS)" -targets "$(TARGETS)"

# Calls every plot of two versions of ArviZ on runs of every sampler, and writes bench/ARVIZ.md (a quarter of an hour). ArviZ 1.3 needs
# Python 3.12 or later.
PYTHON12 ?= python3.12
arviz:
	test -d bench/.arviz/old || python3 -m venv bench/.arviz/old
	test -d bench/.arviz/new || $(PYTHON12) -m venv bench/.arviz/new
	bench/.arviz/old/bin/pip install -q -r bench/arviz/old.txt
	bench/.arviz/new/bin/pip install -q -r bench/arviz/new.txt
	$(GO) build -o bench/.arviz/ppl ./cmd/ppl
	$(GO) run ./bench/arviz -ppl bench/.arviz/ppl bench/.arviz/old/bin/python bench/.arviz/new/bin/python > bench/.arviz/table
	mv bench/.arviz/table bench/ARVIZ.md

IMAGES ?= /usr/share/datasets/fashion-mnist
# A directory, dist/gpu, to carry to a machine with an NVIDIA GPU: bench/gpu/gpu.sh says what is run there. Its parts take
# ten minutes; no network and no Go are needed.
gpu:
	rm -rf dist/gpu && mkdir -p dist/gpu
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w $(LDFLAGS)' -o dist/gpu/ppl ./cmd/ppl
	CGO_ENABLED=0 $(GO) test -c -trimpath -ldflags '-s -w' -o dist/gpu/gputest ./runtime/gpu/cuda
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o dist/gpu/table ./experiments/fashion-mnist
	cp experiments/fashion-mnist/runs.jsonl dist/gpu
	cp -r $(IMAGES) dist/gpu/images || echo 'without images: no table of Fashion-MNIST'
	mkdir -p dist/gpu/examples/testdata && cp examples/*.ppl examples/*.csv dist/gpu/examples
	cp examples/testdata/functions.ppl dist/gpu/examples/testdata
	cp bench/gpu/gpu.sh bench/gpu/jax_steps.py bench/gpu/at.json dist/gpu
	for model in dist/gpu/examples/*.ppl; do dist/gpu/ppl build --emit=cuda $$model > $${model%.ppl}.cu 2>/dev/null; done
	tar -C dist -czf dist/gpu.tar.gz gpu
	du -sh dist/gpu dist/gpu.tar.gz

# All experiments, one after the other: their RESULTS.md and figures are rewritten.
experiments:
	@set -e; for main in experiments/*/main.go; do echo $$main; $(GO) run ./$$(dirname $$main); done

# Each fuzz target for FUZZTIME. Inputs are minimised once only, or that would take most of the time.
fuzz:
	@set -e; for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x $$package; \
		done; \
	done

# Sends changed models and data through the whole of ppl for FUZZTIME; what makes it fail is cut down and kept as a test.
fuzz-models:
	$(GO) build -o bench/fuzzmodels/ppl ./cmd/ppl
	$(GO) run ./bench/fuzzmodels -ppl ./bench/fuzzmodels/ppl -for $(FUZZTIME) -seed $$(date +%s) \
		-keep cmd/ppl/testdata/fuzzed examples/*.ppl lang/REFERENCE.md lang/diag/DIAGNOSTICS.md

# Changes what models, data files and run directories mean, for BUDGET, and sends them through ppl. What fails is kept in
# bench/mutate/failed; SAID names a file for the refusals.
BUDGET ?= 10m
SAID ?=
mutate:
	mkdir -p bench/mutate/failed
	$(GO) build -o bench/mutate/ppl ./cmd/ppl
	$(GO) run ./bench/mutate -ppl ./bench/mutate/ppl -for $(BUDGET) -seed $$(date +%s) -keep bench/mutate/failed -said "$(SAID)"

# Kills runs KILLS times at random moments; what is resumed has to have the draws of runs that nothing ended.
KILLS ?= 1000
kills:
	$(GO) build -o bench/kills/ppl ./cmd/ppl
	$(GO) run ./bench/kills -ppl ./bench/kills/ppl -kills $(KILLS)

# Numbers about the shape of the code: cycles of files, sizes of packages, lengths of functions. DIR measures another
# checkout.
DIR ?= .
measure:
	$(GO) run ./bench/measure $(DIR)

# Compares the IR of every example, and draws at a fixed seed with DRAWS=draws, between a revision and the working tree.
BASE ?= HEAD
DRAWS ?=
same:
	GO=$(GO) bench/same.sh $(BASE) $(DRAWS)

# The version is that of the tag: v1.2 gives 1.2, three commits later 1.2-3-g0123abc.
VERSION := $(patsubst v%,%,$(shell git describe --tags --always --dirty 2>/dev/null || echo unknown))
COMMIT := $(shell git rev-parse HEAD 2>/dev/null)
LDFLAGS := -X ppl/app/version.number=$(VERSION) -X ppl/app/version.commit=$(COMMIT)

install:
	$(GO) install -ldflags '$(LDFLAGS)' ./cmd/ppl

# Archives, packages (if nfpm is there), lists of modules, formulas and checksums in dist; RELEASED names platforms, such
# as linux-amd64,musl-amd64, all by default.
RELEASED ?=
release:
	$(GO) run ./cmd/release -go $(GO) -only "$(RELEASED)"

# The same twice, compared byte by byte; then what was built is run, also by qemu and wine if they are there.
release-check:
	GO=$(GO) cmd/release/check.sh -go $(GO) -only "$(RELEASED)"

# Gives the module the path under which it is published, so that `go install` finds it: MODULE=host/owner/ppl.
MODULE ?=
rename:
	$(GO) run ./cmd/release/rename -module "$(MODULE)" .

# Python wheels with the binary inside, in dist; WHEELS names the platforms, all by default.
WHEELS ?=
wheel:
	GO=$(GO) python/wheel.sh $(WHEELS)

# Builds every wheel twice, compares the bytes, and checks tag, size, mode and format of the binary.
wheels:
	GO=$(GO) python/wheels.sh

# The wheel of this platform in empty environments, with the tests of the Python package; PYTHONS="3.11 3.13" names
# versions, all from 3.10 to 3.13 by default.
PYTHONS ?=
python:
	PYTHONS="$(PYTHONS)" python/test.sh

# R CMD check of the R package, with its tests and its vignette.
r:
	GO=$(GO) r/test.sh

# The site with the playground, in dist/site/html. The first time tools are installed and all examples run (five minutes);
# then it takes a quarter of a minute and no network, and two minutes more if the program has changed, which is packed
# again. Remove dist/site/kept to run the examples again.
site:
	GO=$(GO) docs/site/site.sh

# Opens the site in Chromium without a window: every example of the playground, accessibility, screenshots in dist/site/shots.
playground-check:
	node --test docs/playground/src/memoryfs.test.mjs
	node docs/playground/drive.mjs dist/site/html dist/site/shots
