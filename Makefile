# make check is what a change must pass.

GO ?= go
FUZZTIME ?= 30s

.PHONY: check test slow golden bench fuzz

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

# Each fuzz target for FUZZTIME.
fuzz:
	@set -e; for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package; \
		done; \
	done
