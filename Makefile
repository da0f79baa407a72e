# Everything a developer does with this repository. `make` alone lists it.

GOLANGCI_LINT_VERSION := v2.15.0
GORELEASER_VERSION    := v2.15.1
TOOLS                 := $(CURDIR)/bin
FUZZTIME              ?= 20s
BENCHTIME             ?= 3x

.DEFAULT_GOAL := help

.PHONY: help
help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build ./kayra
	go build -o kayra .

.PHONY: demo
demo: ## the main job in one command
	go run . demo

.PHONY: test
test: ## run all tests
	go test ./...

.PHONY: race
race: ## run all tests under the race detector
	go test -race ./...

.PHONY: lint
lint: $(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION) ## run the linters and check the format
	$< run ./...

.PHONY: fmt
fmt: $(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION) ## format all files
	$< fmt ./...

.PHONY: generate
generate: ## write what is generated: completion scripts, and the pages of docs/reference
	go test ./completions ./docs -run Generated -update

.PHONY: drift
drift: ## check go.mod, go.sum and the files that are generated
	go mod tidy -diff
	go mod verify
	go test ./completions ./docs -run Generated

.PHONY: bench
bench: ## measure Kayra beside its floor: name, value, floor, ratio
	@go test -run '^$$' -bench . -benchtime $(BENCHTIME) ./reconciler ./reconciler/kordinator ./server ./cli ./tui | awk -f .ci/bench.awk

.PHONY: fuzz
fuzz: ## fuzz every parser for FUZZTIME each
	@.ci/fuzz $(FUZZTIME)

.PHONY: snapshot
snapshot: $(TOOLS)/goreleaser-$(GORELEASER_VERSION) ## build all archives and packages of a release into dist
	$< release --snapshot --clean

.PHONY: packages
packages: $(TOOLS)/goreleaser-$(GORELEASER_VERSION) ## check the release, and build and check those of linux/amd64 alone
	$< check
	QUICK=true $< release --snapshot --clean
	.ci/packages

.PHONY: clean
clean: ## delete what was built
	rm -rf bin build dist kayra kayra-cli

# A tool is built once for each version, and kept.
$(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION):
	GOBIN=$(TOOLS) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv $(TOOLS)/golangci-lint $@

$(TOOLS)/goreleaser-$(GORELEASER_VERSION):
	GOBIN=$(TOOLS) go install github.com/goreleaser/goreleaser/v2@$(GORELEASER_VERSION)
	mv $(TOOLS)/goreleaser $@
