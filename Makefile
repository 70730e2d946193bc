# `make run` starts askhub here, `make test` runs every check. `make help` lists the rest.
# One profile (dev) serves both, so that the dependencies are built once.

.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help run page build release test fmt web-check clippy doc cargo-test journeys hosts bench-smoke bench clean

TARGET_DIR := $(abspath $(or $(CARGO_TARGET_DIR),target))
ASKHUB := $(TARGET_DIR)/debug/askhub
HAS_NODE := $(shell scripts/build-tools node && echo yes)
WEB_SOURCES := $(shell find web -type f -not -path '*/node_modules/*' -not -path 'web/dist/*' \
	-not -path '*/test-results/*' -not -path '*/playwright-report/*' 2>/dev/null)

help: ## what there is to make
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14

# --- run -------------------------------------------------------------------------------------------------------------

run: ## build what changed and start askhub on 127.0.0.1:7440 (ARGS='--listen …' adds flags)
	@scripts/build-tools
	@if [ ! -x '$(ASKHUB)' ]; then \
		echo 'first build: this takes about seven minutes on two cores; the next one takes seconds'; fi
	@$(MAKE) --no-print-directory build
	@echo 'to sign in again at any time: $(ASKHUB) login'
	@exec '$(ASKHUB)' serve $(ARGS)

build: page ## the page and the binary, as `make run` uses them
	cargo build --bin askhub

release: page ## the binary as it is shipped: fully optimised, takes longer
	cargo build --locked --release --bin askhub

# --- page ------------------------------------------------------------------------------------------------------------

page: $(if $(HAS_NODE),web/dist/index.html) ## the page alone (nothing to do without Node.js)

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	@touch $@

# The bundler empties web/dist, and .gitkeep belongs to the repository.
web/dist/index.html: web/node_modules/.package-lock.json $(WEB_SOURCES)
	cd web && npm run build
	@touch $@ web/dist/.gitkeep

# --- test ------------------------------------------------------------------------------------------------------------

test: ## every check, in the order in which a mistake shows soonest
	@scripts/build-tools
	@scripts/test-tools install
	@scripts/test-tools report
	@$(MAKE) --no-print-directory fmt web-check clippy doc cargo-test journeys hosts bench-smoke
	@scripts/test-tools report
	@echo 'make test: every check passed'

fmt: ## formatting
	cargo fmt --check

web-check: page ## types and tests of the page
ifeq ($(HAS_NODE),yes)
	cd web && npm run check && npm run --if-present lint
	cd web && npm test
endif

clippy: ## lints
	cargo clippy --locked --all-targets -- -D warnings

doc: ## the documentation builds without a warning
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --no-deps

cargo-test: page ## tests of the library, of the whole service, and of the shape of the repository
	@if cargo nextest --version >/dev/null 2>&1; then \
		echo 'cargo nextest run'; cargo nextest run --locked --no-fail-fast; \
	else \
		echo 'cargo test'; cargo test --locked --no-fail-fast; fi

journeys: page ## a browser walks through the page, against the real binary
ifeq ($(HAS_NODE),yes)
	cargo build --locked --bin askhub
	@chromium=$$(scripts/chromium-path); if [ -n "$$chromium" ]; then \
		echo 'npm run e2e'; cd web && CHROMIUM="$$chromium" ASKHUB_BIN='$(ASKHUB)' npm run e2e; fi
endif

tests/hosts/node_modules/.package-lock.json: tests/hosts/package.json tests/hosts/package-lock.json
	cd tests/hosts && npm ci --no-audit --no-fund
	@touch $@

hosts: page $(if $(HAS_NODE),tests/hosts/node_modules/.package-lock.json) ## real agents' hosts, attached to the real binary
ifeq ($(HAS_NODE),yes)
	cargo build --locked --bin askhub
	cd tests/hosts && ASKHUB_BIN='$(ASKHUB)' npm test
endif

bench-smoke: page ## one small run of the load generator
	cargo bench --locked --profile dev --bench load -- --smoke

bench: page ## the full load, on a release build
	cargo bench --locked --profile release --bench load

clean: ## everything that was built
	cargo clean
	rm -rf web/node_modules tests/hosts/node_modules web/dist/assets web/dist/index.html
