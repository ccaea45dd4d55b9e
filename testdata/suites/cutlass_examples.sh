#!/bin/bash
# Builds CUTLASS' examples with goptxas, PTX beside its code, and runs them
# twice: the second time with what the driver's compiler makes of the PTX.
# What both run and time is run again alone, and the speeds are compared.
#
#   cutlass_examples.sh GOPTXAS CUTLASS OUT [FILE...]
#
# FILEs are below examples of the checkout CUTLASS. SECONDS_EACH is how long
# one may run, LIMIT how many seconds pass until nothing more is begun.
set -u
goptxas=$(realpath "$1") cutlass=$(realpath "$2")
mkdir -p "$3"
out=$(realpath "$3")
shift 3
here=$(cd "$(dirname "$0")" && pwd)
CUDA_HOME=${CUDA_HOME:-/usr/local/cuda}
export SECONDS_EACH=${SECONDS_EACH:-40} CUDA_CACHE_PATH=$out/cache CUDA_CACHE_MAXSIZE=4000000000
export END=$(($(date +%s) + ${LIMIT:-1200})) CUDA_HOME cutlass out
sh "$here/../../tools/toolkit.sh" "$out/toolkit" "$goptxas" >/dev/null || exit 1
[ $# -gt 0 ] || set -- $(cd "$cutlass/examples" && find . -name '*.cu' -printf '%P\n' | grep -vE '^(40|44|60|65|7.|8[0-79]|9[0235]|112)_|python|cute/' | sort -r)

execute() { # folder, name of the log: exit and complaints
	(cd "$1" && timeout -k 5 "$SECONDS_EACH" ./prog >"$2.log" 2>&1)
	echo "exit $? $(grep -ciE 'fail|error|mismatch|incorrect' "$1/$2.log") complaints"
}
both() { # file
	[ "$(date +%s)" -lt "$END" ] || { echo "cut | $1"; return; }
	d=$out/$(basename "${1%.cu}")
	mkdir -p "$d"
	timeout 400 "$out/toolkit/bin/nvcc" -std=c++17 -O2 -w -DNDEBUG --expt-relaxed-constexpr --expt-extended-lambda -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]' \
		-I"$cutlass/include" -I"$cutlass/tools/util/include" -I"$cutlass/tools/library/include" -I"$cutlass/examples/common" -I"$cutlass/examples" -I"$(dirname "$cutlass/examples/$1")" \
		"$cutlass/examples/$1" -o "$d/prog" -L"$CUDA_HOME/lib64" -L"$CUDA_HOME/lib64/stubs" -lcuda -Xcompiler -fopenmp >"$d/build.log" 2>&1 || { echo "not built | $1 | $(grep -m1 -iE 'error|fatal' "$d/build.log" | cut -c1-200)"; return; }
	ours=$(execute "$d" ours)
	driver=$(CUDA_FORCE_PTX_JIT=1 execute "$d" driver)
	[ "$ours" = "$driver" ] && same=alike || same=DIFFERS
	[ "$ours" = "exit 0 0 complaints" ] && [ $same = alike ] && same=passes
	echo "$same | $1 | $ours | driver: $driver"
}
export -f execute both
printf '%s\n' "$@" | xargs -P "${N:-$(nproc)}" -n 1 bash -c 'both "$0"' | tee "$out/results.txt"
for f in $(sed -n 's/^passes | \([^ ]*\) .*/\1/p' "$out/results.txt"); do
	[ "$(date +%s)" -lt $((END + ${TIMES:-120})) ] || break
	d=$out/$(basename "${f%.cu}")
	grep -qiE 'gflop|tflop|runtime|[0-9] ?ms|time' "$d/ours.log" || continue
	for turn in 1 2; do
		SECONDS_EACH=12 execute "$d" ours.$turn >/dev/null
		SECONDS_EACH=12 CUDA_FORCE_PTX_JIT=1 execute "$d" driver.$turn >/dev/null
	done
done
python3 - "$out" <<'P'
import glob, math, os, re, sys

def numbers(path):
    """What a log says of speed: the best of each line that names one."""
    found = []
    for line in open(path, errors="replace"):
        for m in re.finditer(r"(?i)([gt]flops?(?:/s)?)\b[^0-9\n]*([0-9.]+)|([0-9.]+) *([gt]flops?)", line):
            found.append(float(m[2] or m[3]))
            break
        else:
            m = re.search(r"(?i)(?:runtime|time|elapsed)[^0-9\n]*([0-9.]+(?:e-?[0-9]+)?) *(?:\(?m?s\b|us\b|ms\b|$)", line)
            if m and float(m[1]) > 0:
                found.append(1 / float(m[1]))
    return found

ratios = []
for d in sorted(glob.glob(sys.argv[1] + "/*/ours.1.log")):
    d = os.path.dirname(d)
    logs = [[numbers(f"{d}/{w}.{t}.log") for t in (1, 2)] for w in ("ours", "driver")]
    n = {len(x) for w in logs for x in w}
    if len(n) != 1 or 0 in n:
        continue
    best = [[max(p) for p in zip(*w)] for w in logs]
    r = [a / b for a, b in zip(*best) if a > 0 and b > 0]
    if r:
        ratios.append(math.exp(sum(map(math.log, r)) / len(r)))
        print(f"{ratios[-1]:.3f} {min(r):.3f} of {len(r)} {os.path.basename(d)}")
if ratios:
    print(f"{len(ratios)} examples timed, {math.exp(sum(map(math.log, ratios)) / len(ratios)):.4f} of the speed with the driver's compiler")
P
