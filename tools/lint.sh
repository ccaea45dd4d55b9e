#!/bin/sh
# Formats and checks: gofumpt and staticcheck, pinned in tools/go.mod. With
# names of packages, checks those; else the whole module. Exits 0 when clean,
# 1 with findings, 3 when the tools cannot be had (no module proxy).
set -u
cd "$(dirname "$0")/.."
bin=$PWD/bin/lint
mkdir -p "$bin"
if ! go -C tools build -o "$bin/" mvdan.cc/gofumpt honnef.co/go/tools/cmd/staticcheck 2>"$bin/log"; then
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
[ $bad -eq 0 ] && echo "lint: $(echo "$files" | wc -l) files clean"
exit $bad
