#!/bin/sh
# Shows the compiler at work: checks a program with faults, compiles
# examples/saxpy.ptx, disassembles the result with gosass and runs it in the
# simulator. Nothing but Go is needed, and no GPU.
set -eu
cd "$(dirname "$0")/.."
ptx=examples/saxpy.ptx
run() {
	echo "\$ $*"
	"$@" 2>&1 || echo "(exit $?)"
	echo
}
run bin/goptxas --version
run bin/goptxas --parse-only --diagnostics=pretty examples/wrong.ptx
run bin/goptxas -arch=sm_90 -v -o bin/saxpy.cubin "$ptx"
if [ -x bin/gosass ] && [ -f bin/saxpy.cubin ]; then
	run bin/gosass dis -c bin/saxpy.cubin
	run bin/gosass run -desc "$ptx" bin/saxpy.cubin
fi
