#!/bin/bash
# Builds the CUDA programs of HeCBench with goptxas in place of ptxas and runs
# each twice: with our code, and with what the driver's compiler makes of the
# same PTX. hecbench.py compares what they print and the times they tell.
#
#   hecbench.sh GOPTXAS HECBENCH OUT [NAME...]
#
# HECBENCH is the folder src of a checkout, NAMEs are folders below it without
# "-cuda". N is how many are made at once, SECONDS_EACH how long a run takes,
# LIMIT how long all may take together: what is not begun by then is left out.
set -u
goptxas=$(realpath "$1") hecbench=$(realpath "$2")
mkdir -p "$3"
out=$(realpath "$3")
shift 3
here=$(cd "$(dirname "$0")" && pwd)
export hecbench out CUDA_HOME=${CUDA_HOME:-/usr/local/cuda} SECONDS_EACH=${SECONDS_EACH:-10} END=$(($(date +%s) + ${LIMIT:-3000}))
sh "$here/../../tools/toolkit.sh" "$out/toolkit" "$goptxas" >/dev/null || exit 1
[ $# -gt 0 ] || set -- $(cd "$hecbench" && ls -d -- *-cuda | sed 's/-cuda$//')

one() {
	[ "$(date +%s)" -lt $((END - 2 * SECONDS_EACH)) ] || { echo "left out | $1"; return; }
	d=$out/logs/$1
	mkdir -p "$d"
	cd "$hecbench/$1-cuda" || return
	export LD_LIBRARY_PATH=$CUDA_HOME/lib64 CUDA_MODULE_LOADING=EAGER # the driver compiles before anything is timed
	command=(make -s CC="$out/toolkit/bin/nvcc" NVCC="$out/toolkit/bin/nvcc" ARCH=sm_90a LAUNCHER="stdbuf -oL")
	timeout -k 5 120 "${command[@]}" >"$d/build" 2>&1 || { echo "not built | $1 | $(grep -m1 -iE 'error|fatal' "$d/build" | cut -c1-150)"; return; }
	timeout -k 5 "$SECONDS_EACH" "${command[@]}" run >"$d/ours" 2>&1
	ours=$?
	CUDA_FORCE_PTX_JIT=1 CUDA_CACHE_PATH=$out/cache timeout -k 5 "$SECONDS_EACH" "${command[@]}" run >"$d/driver" 2>&1
	driver=$?
	[ $ours = $driver ] && echo "ran | $1 | exit $ours" || echo "DIFFERS | $1 | exit $ours, the driver's $driver"
}
export -f one
printf '%s\n' "$@" | xargs -P "${N:-$(nproc)}" -n 1 bash -c 'one "$0"' >"$out/results.txt"
cut -d' ' -f1 "$out/results.txt" | sort | uniq -c
python3 "$here/hecbench.py" "$out"
