#!/bin/sh
# Makes a copy of a CUDA toolkit, of links, whose ptxas is goptxas: for nvcc,
# clang, XLA, build systems and whatever else looks for a toolkit.
#
#   toolkit.sh FOLDER [GOPTXAS]
#
# CUDA_HOME is the toolkit (default /usr/local/cuda), GOPTXAS the program
# (default: the one in PATH).
set -eu
to=${1:?usage: toolkit.sh FOLDER [GOPTXAS]}
goptxas=${2:-$(command -v goptxas || true)}
from=${CUDA_HOME:-/usr/local/cuda}
[ -x "$goptxas" ] || { echo "toolkit: no goptxas: give its path" >&2; exit 1; }
[ -x "$from/bin/nvcc" ] || { echo "toolkit: no nvcc in $from/bin: set CUDA_HOME" >&2; exit 1; }
from=$(cd "$from" && pwd)
goptxas=$(cd "$(dirname "$goptxas")" && pwd)/$(basename "$goptxas")
mkdir -p "$to/bin"
for f in "$from"/*; do
	[ "$(basename "$f")" = bin ] || ln -sfn "$f" "$to/"
done
for f in "$from"/bin/*; do
	ln -sfn "$f" "$to/bin/"
done
# nvcc finds the others beside itself, not beside what it links to.
rm -f "$to/bin/nvcc" "$to/bin/nvcc.profile" "$to/bin/ptxas"
cp "$from/bin/nvcc" "$to/bin/"
[ ! -f "$from/bin/nvcc.profile" ] || cp "$from/bin/nvcc.profile" "$to/bin/"
ln -s "$goptxas" "$to/bin/ptxas"
echo "$to: $("$to/bin/ptxas" --version | tail -n 1)"
