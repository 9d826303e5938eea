# A thin door to the CMake presets (CMakePresets.json). `make help` lists what there is.
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
PREFIX ?= /usr/local
# Passed to CTest: `make check TESTS='-R inbox'`.
TESTS ?=

.PHONY: help setup build check long demo install lint format asan tsan debug clang clean
.PHONY: configure-release configure-debug configure-asan configure-tsan configure-clang

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

setup: ## install what the build needs (Debian and Ubuntu; root or sudo)
	@scripts/setup

configure-release: DIRECTORY = build
configure-debug: DIRECTORY = build-debug
configure-asan: DIRECTORY = build-asan
configure-tsan: DIRECTORY = build-tsan
configure-clang: DIRECTORY = build-clang
configure-clang: SETUP_OPTIONS = --lint
# Ninja runs CMake again by itself: only a new folder or changed presets need this.
configure-release configure-debug configure-asan configure-tsan configure-clang: configure-%:
	@scripts/setup $(SETUP_OPTIONS)
	@test $(DIRECTORY)/build.ninja -nt CMakePresets.json || cmake --preset $* --log-level=WARNING

build: configure-release ## build everything into ./build
	@cmake --build --preset release

check: build ## build, then run every test that is not long
	@ctest --preset release $(TESTS)

long: build ## run the long tests
	@ctest --preset long $(TESTS)

demo: build ## show what is gained when a program computes while messages move
	@scripts/setup --python || echo "The demo goes on without PNG pictures."
	@build/bin/vif demo

install: build ## install below PREFIX (/usr/local unless told)
	@cmake --install build --prefix "$(PREFIX)"

lint: build ## check the format, the layers and sizes, and run clang-tidy and ruff
	@scripts/setup --lint
	@scripts/lint

format: ## rewrite the C, C++ and Python files in the project's format
	@scripts/setup --lint
	@scripts/lint --format

debug: configure-debug ## build and test with assertions, into ./build-debug
	@cmake --build --preset debug
	@ctest --preset debug $(TESTS)

asan: configure-asan ## build and test under the address and undefined-behaviour sanitizers
	@cmake --build --preset asan
	@ctest --preset asan $(TESTS)

tsan: configure-tsan ## build, and test what threads share, under the thread sanitizer
	@cmake --build --preset tsan
	@ctest --preset tsan $(TESTS)

clang: configure-clang ## build with Clang; a warning is an error
	@cmake --build --preset clang

clean: ## remove the build folders
	rm -rf build build-debug build-asan build-tsan build-clang
