# make test is the whole gate; .ci/run calls it and nothing else.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS   += --no-print-directory
.DEFAULT_GOAL := help

# Tools are built once for each state of the tools module and each Go version.
BIN   := $(CURDIR)/.bin
TOOLS := $(BIN)/$(shell { cat tools/go.mod tools/go.sum; go env GOVERSION GOOS GOARCH; } | cksum | cut -d ' ' -f 1)

say = @printf '\n== %s\n' "$(1)"

.PHONY: help
help: ## say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: ## run Florin with its defaults
	go run ./cmd/web

.PHONY: test
test: check-generated check-format check-modules vet lint build test-go ## everything that has to hold; the same as CI
	@printf '\nAll checks passed.\n'

.PHONY: generate
generate: $(TOOLS)/templ ## write generated files anew: templates and documents
	$(templ-generate)
	go test ./internal/config ./internal/handlers ./internal/openapi ./internal/aggregator/server ./internal/contract -run Documentation -update

# Folder by folder, since templ writes file names relative to the folder it was given.
templ-generate = for folder in web/templates/*/; do \
		$(TOOLS)/templ generate -path "$$folder" >$(BIN)/templ.log 2>&1 || { cat $(BIN)/templ.log; exit 1; }; \
	done

# Without version control: what was there before is compared with what templ writes.
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
	$(call say,go.mod is tidy)
	go mod tidy -diff

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

.PHONY: build
build: ## build .bin/florin, one static binary
	$(call say,build)
	CGO_ENABLED=0 go build -trimpath -o $(BIN)/florin ./cmd/web

# What is translated from C, and the password hash, are compiled without the race detector, which makes them three to four times
# slower and finds nothing there. Our code, the driver round SQLite and everything else keep it (docs/adr/0025). Later flags win.
not-instrumented := modernc.org/sqlite/lib modernc.org/libc/... modernc.org/memory golang.org/x/crypto/argon2 golang.org/x/crypto/blake2b
race := -race $(not-instrumented:%=-gcflags=%=-race=false)

# The browser journeys are part of it; they take the browser from FLORIN_CHROMIUM, and the judges of the pages from FLORIN_JUDGES; those of exports are
# programs of the system. Properties are tried with 25 random inputs instead of the 100 of a plain go test: others in each run.
# Vet is a step of its own, over the tests too, so that go test does not do it again.
packages ?= ./...

# One package more at a time than there are cores: tests wait for disks, browsers and time to pass.
at-once := -p $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

.PHONY: test-go
test-go: ## the tests alone; packages=./internal/store for some of them
	$(call say,go test)
	@FLORIN_CHROMIUM="$$(scripts/chromium)"; export FLORIN_CHROMIUM; \
	echo "Chromium: $$FLORIN_CHROMIUM"; \
	FLORIN_JUDGES="$$(scripts/judges)"; export FLORIN_JUDGES; \
	scripts/ledgers; \
	export RAPID_CHECKS="$${RAPID_CHECKS:-25}"; \
	go test -vet=off $(race) $(at-once) -timeout 40m $(packages); \
	$(unwatched-tests); \
	if [[ -n "$$folders" ]]; then echo "Without the race detector:"; go test -vet=off $(at-once) -timeout 40m -run "^($$names)\$$" $$folders; fi

# The second step: the tests that say by testkit.Unwatched that they run without the race detector.
unwatched-tests = files="$$(grep -rl --include='*_test.go' '^	testkit\.Unwatched(t)$$' cmd internal web)"; \
	names="$$(awk '/^func Test/ {name = $$2; sub(/\(.*/, "", name)} /^\ttestkit\.Unwatched\(t\)$$/ {print name}' $$files | sort -u | paste -sd '|')"; \
	folders="$$(comm -12 <(go list $(packages) | sort) <(dirname $$files | sed "s|^|$$(go list -m)/|" | sort -u))"

# The race detector, browsers, and tests that last are for the gate.
.PHONY: test-fast
test-fast: ## the tests that are fast, in less than two minutes: no browser, no whole Florin, no crashes, no soak, no race detector
	RAPID_CHECKS="$${RAPID_CHECKS:-25}" go test -short -vet=off $(at-once) $(packages)

.PHONY: screenshots
screenshots: ## run the main journeys and keep their screenshots in docs/screenshots
	@FLORIN_CHROMIUM="$$(scripts/chromium)"; export FLORIN_CHROMIUM; \
	FLORIN_SCREENSHOTS="$(CURDIR)/docs/screenshots" go test -count=1 -parallel 1 -timeout 10m -run '^(TestJourneyFirstStart|TestJourneyPay|TestJourneyGlance)$$/^(kinds|with_JavaScript|in_German)$$/^redirect_(with_JavaScript|in_German)$$' ./cmd/web

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
