# Thin: CMake does the building, scripts/ the rest. Build trees are under build/, one for each preset.
#
#   make build     the program, build/cordage
#   make demo      builds, simulates a swinging rope and makes a picture and a film of it
#   make web       the simulator in the browser, one page: build/web/cordage.html
#   make test      all tests, in all the builds that matter
#   make fuzz      looks for inputs that break the readers, for ten minutes each
#   make bench     how fast it is, beside what others have published
#   make format    lays the code out
#   make install   PREFIX (default /usr/local), DESTDIR
#   make clean

PREFIX ?= /usr/local

.PHONY: build demo web test fuzz bench format install clean

build:
	@scripts/setup build
	@scripts/build release

demo:
	@scripts/setup build demo
	@scripts/build release
	@scripts/demo

web:
	@scripts/setup web
	@scripts/web

test:
	@scripts/setup build demo test web
	@scripts/test

fuzz:
	@scripts/setup build test
	@scripts/fuzz

bench: build
	@build/cordage bench

format:
	@scripts/setup test
	@scripts/format

install: build
	@cmake --install build/release --prefix "$(PREFIX)"
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

clean:
	rm -rf build
