#!/bin/sh
# Runs every fuzz target of the module for the given time each, one after
# the other. Usage: tools/fuzz.sh [TIME] [PACKAGE...]
set -eu
cd "$(dirname "$0")/.."
time=${1:-30s}
[ $# -gt 0 ] && shift
n=0
for pkg in $(go list "${@:-./...}"); do
	for target in $(go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
		echo "fuzz: $pkg $target for $time"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$pkg"
		n=$((n + 1))
	done
done
echo "fuzz: $n targets, $time each, nothing found"
