# A thin front to CMake. The two commands people need: `make run` and `make test`.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60
PREFIX ?= /usr/local

.PHONY: all run test soak quick fuzz format check install uninstall package clean site web-test

all:
	@cmake --preset release -DCMAKE_INSTALL_PREFIX=$(PREFIX) > /dev/null
	@cmake --build --preset release -j $(JOBS) -- --no-print-directory
	@ln -sf release/keiko build/keiko

# The main job: builds what is missing, serves the page, learns Contrast from zero for two minutes, rates it and writes the
# report. Where the tools for the page are missing, everything else goes on.
run:
	@tools/deps.sh build
	@$(MAKE) --no-print-directory all
	@JOBS=$(JOBS) tools/site.sh || echo "going on without the page in the browser; make site installs what it needs"
	@tools/demo.sh build/keiko

# Everything CI checks; see tools/test.sh for the steps.
test:
	@tools/deps.sh test
	@JOBS=$(JOBS) tools/test.sh

# Hours: tests with large numbers, fuzzing, mutants; see tools/soak.sh.
soak:
	@tools/deps.sh test
	@JOBS=$(JOBS) FUZZ_SECONDS=$(FUZZ_SECONDS) tools/soak.sh

# While working: the debug build and its tests only.
quick:
	@cmake --preset dev > /dev/null
	@cmake --build --preset dev -j $(JOBS)
	@ctest --preset dev -j $(JOBS)

# A minute of libFuzzer for every parser.
fuzz:
	@tools/deps.sh test
	@FUZZ_SECONDS=$(FUZZ_SECONDS) JOBS=$(JOBS) tools/fuzz.sh

# The page as a static folder, build/site/. Needs npm and the WebAssembly tools; says how to get them.
site:
	@tools/deps.sh site
	@JOBS=$(JOBS) tools/site.sh

# Types, the engine under node, and the page in Chromium.
web-test:
	@JOBS=$(JOBS) tools/site.sh test

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

check:
	@tools/check-layers.sh
	@git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror

install: all
	@tools/install.sh install $(PREFIX)

# build/packages/: a .deb, a .tar.gz and a wheel of this commit. The same commit gives the same bytes.
package:
	@JOBS=$(JOBS) tools/package.sh

uninstall:
	@tools/install.sh uninstall

clean:
	@rm -rf build
