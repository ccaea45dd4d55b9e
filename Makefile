# Everything is done from here; `make` alone lists the targets.
GO      ?= go
GOFLAGS ?= -buildvcs=false
export GOFLAGS
# Packages that start goroutines: the ones worth running under the race detector.
RACE    := ./internal/engine/par/... $(addprefix ./internal/engine/,atomicfile diag phase pool src stats) ./internal/driver/... .
FUZZTIME ?= 30s
PREFIX   ?= /usr/local

.PHONY: equal help build demo test test-oracle oracle platforms lint bench versus pgo executed launches cutlass-launches fuzz campaign race generate ci install release clib playground site browser readme

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

build: ## the programs, in bin/
	$(GO) build -o bin/ ./cmd/...

install: build ## the programs in PREFIX/bin, their manual pages and completions
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 755 bin/goptxas bin/gosass $(DESTDIR)$(PREFIX)/bin/
	bin/gosass man goptxas >$(DESTDIR)$(PREFIX)/share/man/man1/goptxas.1
	bin/gosass man gosass >$(DESTDIR)$(PREFIX)/share/man/man1/gosass.1
	bin/gosass completion bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/goptxas
	bin/gosass completion bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/gosass
	bin/gosass completion zsh >$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_goptxas
	bin/gosass completion fish >$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/goptxas.fish

release: ## archives for every platform, checksums and a bill of materials, in out/release
	sh tools/release.sh

clib: ## the C library with its header, in out/clib
	mkdir -p out/clib
	$(GO) -C clib build -trimpath -buildmode=c-shared -o ../out/clib/libgoptxas.so .
	cp clib/goptxas.h out/clib/

ADDRESS ?= localhost:8080
playground: ## compiler, disassembler and simulator in the browser, at ADDRESS
	$(GO) run ./cmd/playground serve $(ADDRESS)

site: ## the documents as a static site with search, in out/site
	$(GO) run ./cmd/docsite out/site

readme: ## run the lines of README.md in a fresh copy
	sh tools/readme.sh

browser: ## drive the pages in Chromium, where it is installed
	$(GO) -C tools/browser test ./...

demo: build ## compile the example, show its code, run it in the simulator
	sh tools/demo.sh

test: ## vet and every test that needs only Go
	$(GO) vet ./...
	GOPTXAS_ORACLE=/nonexistent $(GO) test ./...

oracle: ## install the reference tools in the user's cache
	sh tools/oracle.sh

test-oracle: ## every test, with the reference tools
	$(GO) test ./...

.PHONY: sweep
sweep: ## every test, the long ones whole, with the reference tools where they are installed
	GOPTXAS_SWEEP=1 $(GO) test ./...

.PHONY: test-remote
test-remote: ## the module of remote execution, with a real cache server where it can be built
	cd remote && $(GO) vet ./... && $(GO) test ./...

platforms: ## vet for linux, darwin and windows, build for the browser
	sh tools/platforms.sh

CORPUS ?= testdata/zoo
equal: ## the same cubins on this machine, on arm64 and in WebAssembly: 200 files of CORPUS
	sh tools/equal.sh $(CORPUS) 200

lint: ## gofumpt, staticcheck and deadcode, pinned in tools/go.mod
	sh tools/lint.sh

bench: ## benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

versus: ## time, registers and spills beside the reference's
	$(GO) test -run '^$$' -bench Versus -benchtime 1x ./internal/witness/versus

pgo: ## the profile that released builds of goptxas are guided by
	mkdir -p bin
	$(GO) test -run '^$$' -bench Profile -benchtime 1x -o /dev/null -cpuprofile bin/release.pgo ./internal/witness/versus
	mv bin/release.pgo cmd/goptxas/release.pgo

REF     ?= ptxas
launches: build ## launches of the set SET (one_kernel) of Triton programs for SM (100a), recorded into FOLDER and judged in the simulator
	tools/record/triton.sh $(or $(SET),one_kernel) $(or $(SM),100a) $(or $(FOLDER),out/launches)

cutlass-launches: build ## launches of CUTLASS's examples for Blackwell (checkout CUTLASS, parts of names ONLY), recorded into FOLDER and judged in the simulator
	tools/record/cutlass.sh $(CUTLASS) $(or $(FOLDER),out/cutlass) $(ONLY)

executed: build ## instructions that warps execute beside the reference's (REF), in the simulator: the zoo and the speed kernels
	bin/gpurun count -ours bin/goptxas -ref $(REF) -corpus testdata/zoo -o bin/zoo.json
	bin/gpurun count -ours bin/goptxas -ref $(REF) -corpus testdata/speed -o bin/speed.json

fuzz: ## every fuzz target for FUZZTIME each
	sh tools/fuzz.sh $(FUZZTIME)

CAMPAIGN ?= campaign
SEEDS    ?= 10000
MUTANTS  ?= 100000
SHARD    ?= 0/1
campaign: ## SEEDS random programs and MUTANTS damaged inputs; goes on where the ledger in CAMPAIGN ends
	$(GO) run ./internal/witness/campaign -dir $(CAMPAIGN) -what programs -n $(SEEDS) -shard $(SHARD)
	$(GO) run ./internal/witness/campaign -dir $(CAMPAIGN) -what hostile -n $(MUTANTS) -shard $(SHARD)

race: ## the concurrent packages under the race detector
	GOPTXAS_ORACLE=/nonexistent $(GO) test -race -skip TestCommandLines $(RACE)
	GOPTXAS_ORACLE=/nonexistent $(GO) test -race -run 'SameBytes|Workers' ./internal/pipeline

generate: ## regenerate *_gen.go
	$(GO) generate ./...

ci: ## what the build machine runs
	.ci/run
