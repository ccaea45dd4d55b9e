#!/bin/bash
# Runs a program many times at once, so that each run loses the GPU to others in
# the middle of its kernels and gets it back: what issues where a warp may be
# stopped shows then, and nowhere else.
#
#   crowded.sh GOPTXAS OUT FILE.cu [FLAG...]
#
# The program is built with goptxas, with the reference, and with each command of
# MORE ("NAME=COMMAND,OPTION..."); FLAGs are nvcc's. COPIES (4) of each run beside each
# other for SECONDS_EACH (60) at most, which a kernel of seconds needs. Lines say how each
# ended; 124 is the clock.
set -u
goptxas=$(realpath "$1") file=$(realpath "$3")
mkdir -p "$2"
out=$(realpath "$2")
shift 3
here=$(cd "$(dirname "$0")" && pwd)
CUDA_HOME=${CUDA_HOME:-/usr/local/cuda}
names=
build() { # name, command, flags of nvcc
	name=$1 command=$2
	shift 2
	printf '#!/bin/sh\nexec %s "$@"\n' "${command//,/ }" >"$out/$name.sh"
	chmod +x "$out/$name.sh"
	sh "$here/../../tools/toolkit.sh" "$out/toolkit-$name" "$out/$name.sh" >/dev/null &&
		"$out/toolkit-$name/bin/nvcc" -std=c++17 -w -arch="${ARCH:-sm_90}" "$@" "$file" -o "$out/$name" -L"$CUDA_HOME/lib64/stubs" || exit 1
	names="$names $name"
}
build ours "$goptxas" "$@"
build reference "${REF:-$CUDA_HOME/bin/ptxas}" "$@"
for m in ${MORE:-}; do
	build "${m%%=*}" "${m#*=}" "$@"
done
for n in $(seq "${COPIES:-4}"); do
	for name in $names; do
		(
			timeout "${SECONDS_EACH:-60}" "$out/$name" >"$out/$name.$n.log" 2>&1
			echo "$name: exit $?"
		) &
	done
done | sort | uniq -c
