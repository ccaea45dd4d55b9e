#!/bin/sh
# Formats and checks: gofumpt, staticcheck and deadcode, pinned in tools/go.mod.
# With names of packages, checks those; else the whole module. Exits 0 when clean,
# 1 with findings, 3 when the tools cannot be had (no module proxy).
set -u
cd "$(dirname "$0")/.."
bin=$PWD/bin/lint
mkdir -p "$bin"
if ! go -C tools build -o "$bin/" mvdan.cc/gofumpt honnef.co/go/tools/cmd/staticcheck golang.org/x/tools/cmd/deadcode 2>"$bin/log"; then
	echo "lint: tools not available: $(tail -n 1 "$bin/log")" >&2
	exit 3
fi
bad=0
files=$(git ls-files '*.go' | grep -v '_gen\.go$')
unformatted=$("$bin/gofumpt" -l $files)
if [ -n "$unformatted" ]; then
	echo "lint: not gofumpt-formatted:" $unformatted >&2
	bad=1
fi
# Generated tables are judged by the tests of their generators.
found=$("$bin/staticcheck" "${@:-./...}" | grep -v '_gen\.go:')
if [ -n "$found" ]; then
	echo "$found" >&2
	bad=1
fi
# Functions that no command and no library call reaches: those that only tests
# use are listed with the reason, and a line that is no longer true fails too.
if [ $# -eq 0 ]; then
	"$bin/deadcode" ./... | sed -n 's/^\(internal\/[^:]*\):[0-9:]* unreachable func: /\1 /p' | grep -v '^internal/witness/' | LC_ALL=C sort >"$bin/dead"
	grep -v '^#' tools/deadcode.txt | grep . | LC_ALL=C sort >"$bin/listed"
	odd=$(LC_ALL=C comm -3 "$bin/dead" "$bin/listed")
	if [ -n "$odd" ]; then
		echo "lint: unreachable functions that tools/deadcode.txt does not list, or (indented) lists wrongly:" >&2
		echo "$odd" >&2
		bad=1
	fi
fi
[ $bad -eq 0 ] && echo "lint: $(echo "$files" | wc -l) files clean"
exit $bad
