# make test is the whole gate; .ci/run calls it and nothing else.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS   += --no-print-directory
.DEFAULT_GOAL := help

# Tools are built once for each state of the tools module and each Go version.
BIN   := $(CURDIR)/.bin
TOOLS := $(BIN)/$(shell { cat tools/go.mod tools/go.sum; go env GOVERSION GOOS GOARCH; } | cksum | cut -d ' ' -f 1)

# Compiled packages do not contain the path of the checkout, so that other clones can reuse them: a gate in a fresh clone only compiles what has changed.
export GOFLAGS := $(strip $(shell go env GOFLAGS) -trimpath)

say = @printf '\n== %s\n' "$(1)"

.PHONY: help
help: ## say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: ## run Florin with its defaults
	go run ./cmd/web

.PHONY: test
test: check-generated check-format check-modules ## everything that has to hold; the same as CI
	@$(programs); $(MAKE) --jobs=2 checks-and-watched unwatched
	@printf '\nAll checks passed.\n'

.PHONY: checks-and-watched
checks-and-watched:
	@for target in vet lint build watched; do $(MAKE) $$target; done

.PHONY: generate
generate: $(TOOLS)/templ ## write generated files anew: templates and documents
	$(templ-generate)
	go test ./internal/config ./internal/handlers ./internal/openapi ./internal/aggregator/server ./internal/contract -run Documentation -update

# Folder by folder, since templ writes file names relative to the folder it was given.
templ-generate = for folder in web/templates/*/; do \
		$(TOOLS)/templ generate -path "$$folder" >$(BIN)/templ.log 2>&1 || { cat $(BIN)/templ.log; exit 1; }; \
	done

# Works without version control: the files from before are compared with those that templ writes.
.PHONY: check-generated
check-generated: $(TOOLS)/templ
	$(call say,generated files are fresh)
	@sums() { find web -name '*_templ.go' -exec cksum {} + | sort -k 3; }; \
	before="$$(sums)"; $(templ-generate); after="$$(sums)"; \
	if [[ "$$before" != "$$after" ]]; then \
		diff <(echo "$$before") <(echo "$$after") || true; \
		echo "Generated files were not up to date. They are now: look at them and commit them."; exit 1; \
	fi; \
	for file in $$(find web -name '*_templ.go'); do \
		[[ -f "$${file%_templ.go}.templ" ]] || { echo "$$file has no template any more: remove it."; exit 1; }; \
	done

.PHONY: check-format
check-format:
	$(call say,gofmt)
	@unformatted="$$(gofmt -l .)"; \
	if [[ -n "$$unformatted" ]]; then echo "Not formatted (gofmt -w):"; echo "$$unformatted"; exit 1; fi

.PHONY: check-modules
check-modules:
	$(call say,both go.mod are tidy)
	go mod tidy -diff
	go -C tools mod tidy -diff

.PHONY: vet
vet:
	$(call say,go vet)
	go vet ./...

.PHONY: lint
lint: $(TOOLS)/staticcheck $(TOOLS)/golangci-lint ## staticcheck and golangci-lint
	$(call say,staticcheck)
	$(TOOLS)/staticcheck ./...
	$(call say,golangci-lint)
	$(TOOLS)/golangci-lint run ./...

# Go would inline the constructors of components, which it takes for small functions: each handler would contain its whole page, and each page its components. Without that
# the binary is 2 MB smaller. The Dockerfile and the benchmark of the size do the same.
pages-once := -gcflags=florin/web/templates/...=-l

.PHONY: build
build: ## build .bin/florin, one static binary
	$(call say,build)
	CGO_ENABLED=0 go build -trimpath $(pages-once) -o $(BIN)/florin ./cmd/web

# What is translated from C, and the password hash, are compiled without the race detector, which makes them three to four times
# slower and finds nothing there. Our code, the driver round SQLite and everything else keep it (docs/adr/0025). Later flags win.
not-instrumented := modernc.org/sqlite/lib modernc.org/libc/... modernc.org/memory golang.org/x/crypto/argon2 golang.org/x/crypto/blake2b
race := -race $(not-instrumented:%=-gcflags=%=-race=false)

# The browser journeys are part of it; they take the browser from FLORIN_CHROMIUM, and the judges of the pages from FLORIN_JUDGES; those of exports are
# programs of the system, and the schema of payment files comes from FLORIN_SCHEMAS. Properties are tried with 25 random inputs instead of the 100 of a plain go test: others in each run.
# Vet is a step of its own, over the tests too, so that go test does not do it again.
packages ?= ./...

# Files of the tests are in memory when there is room; build files of Go are not.
in-memory = export GOTMPDIR="$${GOTMPDIR:-$${TMPDIR:-/tmp}}"; TMPDIR="$$(scripts/scratch)"; export TMPDIR

# What the tests need besides Go: found, or installed, once for both parts.
programs = $(in-memory); FLORIN_CHROMIUM="$$(scripts/chromium)"; export FLORIN_CHROMIUM; FLORIN_JUDGES="$$(scripts/judges)"; export FLORIN_JUDGES; scripts/ledgers; \
	FLORIN_SCHEMAS="$$(scripts/schemas)"; export FLORIN_SCHEMAS; \
	export RAPID_CHECKS="$${RAPID_CHECKS:-25}"

# There are two parts, which run at once (docs/adr/0025): while one waits, for a disk, a browser or time to pass, the other computes.
.PHONY: test-go
test-go: ## the tests alone; packages=./internal/store for some of them
	@$(programs); $(MAKE) --jobs=2 watched unwatched

.PHONY: watched
watched:
	$(call say,go test with the race detector)
	@$(programs); go test -vet=off $(race) -timeout 40m $(packages)

# The tests that call testkit.Unwatched run without the race detector. Their output comes at their end, apart from that of the others.
.PHONY: unwatched
unwatched:
	@$(programs); $(unwatched-tests); [[ -n "$$folders" ]] || exit 0; \
	mkdir -p $(BIN); ended=0; go test -vet=off -timeout 40m -run "^($$names)\$$" $$folders >$(BIN)/unwatched.log 2>&1 || ended=$$?; \
	printf '\n== go test without the race detector\n'; cat $(BIN)/unwatched.log; exit $$ended

# The slowest come first, so that none of them runs alone at the end.
long := cmd/web web/templates/gallery internal/aggregator/server
unwatched-tests = files="$$(grep -rl --include='*_test.go' '^	testkit\.Unwatched(t)$$' cmd internal web)"; \
	names="$$(awk '/^func Test/ {name = $$2; sub(/\(.*/, "", name)} /^\ttestkit\.Unwatched\(t\)$$/ {print name}' $$files | sort -u | paste -sd '|')"; \
	folders="$$({ printf '%s\n' $(long); dirname $$files | sort -u; } | awk '!seen[$$0]++' | sed "s|^|$$(go list -m)/|" | grep -Fx -f <(go list $(packages)) || true)"

# The race detector, browsers, and slow tests are left to the gate.
.PHONY: test-fast
test-fast: ## the tests that are fast, in less than two minutes: no browser, no whole Florin, no crashes, no soak, no race detector
	@$(in-memory); RAPID_CHECKS="$${RAPID_CHECKS:-25}" go test -short -vet=off -p $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) $(packages)

.PHONY: screenshots
screenshots: ## run the main journeys and keep their screenshots in docs/screenshots
	@FLORIN_CHROMIUM="$$(scripts/chromium)"; export FLORIN_CHROMIUM; \
	FLORIN_SCREENSHOTS="$(CURDIR)/docs/screenshots" go test -count=1 -parallel 1 -timeout 10m -run '^(TestJourneyFirstStart|TestJourneyPay|TestJourneyGlance|TestJourneyBanksApp)$$/^(kinds|with_JavaScript|in_German)$$/^redirect_(with_JavaScript|in_German)$$' ./cmd/web

# Only a whole run is written down. The parts are those of measurements in cmd/web/bench_test.go.
.PHONY: bench
bench: ## measure against the yardsticks, print a table and write it to docs/benchmarks.md; part=sync prints one part
	FLORIN_BENCHMARKS="$(if $(part),,$(CURDIR)/docs/benchmarks.md)" go test -run '^$$' -bench '^BenchmarkTable$$$(if $(part),/^$(part)$$)' -benchtime 1x -timeout 60m ./cmd/web

# One rule for each tool: its package in the tools module.
tool-templ         := github.com/a-h/templ/cmd/templ
tool-staticcheck   := honnef.co/go/tools/cmd/staticcheck
tool-golangci-lint := github.com/golangci/golangci-lint/v2/cmd/golangci-lint

$(TOOLS)/%:
	@echo "building $* once (golangci-lint takes some minutes)"
	@mkdir -p $(TOOLS)
	@go -C tools build -o $(TOOLS)/$* $(tool-$*)

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BIN)
