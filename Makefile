# make check is what a change must pass.

GO ?= go
FUZZTIME ?= 30s

.PHONY: check test slow golden bench bench-peers experiments fuzz

check:
	$(GO) mod tidy -diff
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt -w these:"; echo "$$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	CGO_ENABLED=0 $(GO) build -tags nonative -o /dev/null ./cmd/ppl
	$(GO) test ./...
	$(MAKE) golden
	git diff --exit-code -- '*testdata*'

test:
	$(GO) test ./...

# Posteriors against published numbers, long statistical tests.
slow:
	PPL_SLOW=1 $(GO) test -timeout 60m ./...

# Rewrites the golden files of the packages that have them.
golden:
	$(GO) test $$(grep -rl '"update"' --include='*_test.go' . | xargs -n1 dirname | sort -u) -update

# Compiled models against C and Go by hand; BENCHTIME turns each. The output is benchstat's input.
BENCHTIME ?= 100x
bench:
	@$(GO) test -run '^$$' -bench . -benchtime $(BENCHTIME) -count 5 ./bench > bench.txt || { cat bench.txt; exit 1; }
	@$(GO) tool benchstat bench.txt

# Other systems beside ppl: writes bench/RESULTS.md. PEERS is a Python environment, made the first time (some 6 GB); PARTS names
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

# All experiments, one after the other: their RESULTS.md and figures are written anew.
experiments:
	@set -e; for main in experiments/*/main.go; do echo $$main; $(GO) run ./$$(dirname $$main); done

# Each fuzz target for FUZZTIME.
fuzz:
	@set -e; for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package; \
		done; \
	done
