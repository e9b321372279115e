# Each target is one line that calls a script or swift; `make` alone lists them.
.PHONY: help run build test drill fuzz sanitize lint format bench clean

help:
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*##/ —/'

run: build ## set up, build, and run the samples through pipelines/bmi.yaml
	@deploy/try.sh

build: ## set up and build for release into .build/release
	@deploy/setup.sh
	@deploy/quietly.sh swift build -c release --static-swift-stdlib

test: ## set up and run all tests against a private PostgreSQL
	@deploy/setup.sh --test
	@swift build --build-tests --quiet
	@swift test --skip-build --disable-xctest --quiet

drill: ## break jobs at KILLS=200 random moments, and compare what one more run makes of it
	@Tests/drill/run.sh

fuzz: ## what libFuzzer invents, SECONDS=60 for each of TARGETS="ndjson csv yaml rule number codec"
	@deploy/setup.sh
	@Tests/fuzz/run.sh $(or $(SECONDS),60) $(TARGETS)

sanitize: ## tests under the address and the thread sanitizer
	@deploy/setup.sh --test
	@Tests/sanitize/run.sh address
	@Tests/sanitize/run.sh thread

lint: ## formatting, shell scripts, and the walls between modules
	@.ci/lint

format: ## format all Swift files in place
	@swift format format -i -r Package.swift Sources Tests

bench: build ## figures side by side with peers, for SESSIONS=50000, RUNS=5, ROWS="dry copy …"
	@deploy/setup.sh --bench
	@Tests/bench/run.sh $(or $(SESSIONS),50000) $(or $(RUNS),5) $(ROWS)

clean: ## remove what was built
	@swift package clean
