#!/bin/sh
# Walks the newcomer's path: runs every line of the blocks of the readme that
# are marked as shell, in a fresh copy of what git knows, and says which lines
# do not work as printed. Usage: tools/readme.sh [FOLDER]
set -eu
cd "$(dirname "$0")/.."
dir=${1:-$(mktemp -d)}
git ls-files -z | xargs -0 tar -cf - | tar -C "$dir" -xf -
cd "$dir"
sed -n '/^```sh$/,/^```$/p' README.md | grep -v '^```' >lines
n=0 bad=0
while read -r line; do
	n=$((n + 1))
	if ! sh -c "$line" >log 2>&1 </dev/null; then
		bad=$((bad + 1))
		echo "readme: does not work: $line" >&2
		tail -n 5 log >&2
	fi
done <lines
[ $n -gt 0 ] || { echo "readme: no lines found" >&2; exit 1; }
echo "readme: $((n - bad)) of $n lines work as printed"
[ $bad -eq 0 ]
