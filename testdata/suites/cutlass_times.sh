#!/bin/bash
# Times the kernels of CUTLASS' examples with the code of both assemblers: each
# example is built once, with the shared runtime, and launches.c has each of its
# launches run with the other code than the one before.
#
#   cutlass_times.sh GOPTXAS CUTLASS OUT [FILE...]
#
# A FILE is below examples of the checkout CUTLASS; arguments of the program may
# stand behind it in the same word. What OUT holds already is not built again, so
# that programs can be built where no GPU is (BUILD=1: no more than that). RUNS (3)
# is how often each is run, MORE="NAME=COMMAND..." are further assemblers, with
# their options joined by commas. The table has the reference's time over the
# others': the median of the ratios of neighbouring launches, those of less than
# LEAST (5) microseconds left out.
set -u
goptxas=$(realpath "$1") cutlass=$(realpath "$2")
mkdir -p "$3"
out=$(realpath "$3")
shift 3
here=$(cd "$(dirname "$0")" && pwd)
CUDA_HOME=${CUDA_HOME:-/usr/local/cuda}
NVCC=${NVCC:-$CUDA_HOME/bin/nvcc}
export REF=${REF:-$CUDA_HOME/bin/ptxas} RUNS=${RUNS:-3} LEAST=${LEAST:-5} FLAGS=${FLAGS:-} MORE=${MORE:-} CUDA_HOME NVCC goptxas cutlass out
[ $# -gt 0 ] || set -- 14_ampere_tf32_tensorop_gemm/ampere_tf32_tensorop_gemm.cu 24_gemm_grouped/gemm_grouped.cu \
	'47_ampere_gemm_universal_streamk/ampere_gemm_universal_streamk.cu' 48_hopper_warp_specialized_gemm/48_hopper_warp_specialized_gemm.cu \
	54_hopper_fp8_warp_specialized_gemm/54_hopper_fp8_warp_specialized_gemm.cu '55_hopper_mixed_dtype_gemm/55_hopper_mixed_dtype_gemm.cu --mode=0' \
	'55_hopper_mixed_dtype_gemm/55_hopper_mixed_dtype_gemm.cu --mode=1' '55_hopper_mixed_dtype_gemm/55_hopper_mixed_dtype_gemm.cu --mode=2' \
	57_hopper_grouped_gemm/57_hopper_grouped_gemm.cu 62_hopper_sparse_gemm/62_hopper_sparse_gemm.cu 63_hopper_gemm_with_weight_prefetch/63_hopper_gemm_with_weight_prefetch.cu \
	67_hopper_fp8_warp_specialized_gemm_with_blockwise_scaling/67_hopper_fp8_warp_specialized_gemm_with_blockwise_scaling.cu \
	'69_hopper_mixed_dtype_grouped_gemm/69_hopper_int4_fp8_grouped_gemm.cu --m=1024 --n=512 --k=1024 --groups=10' 88_hopper_fmha/88_hopper_fmha.cu

build() { # file
	d=$out/$(basename "${1%.cu}")
	mkdir -p "$d/keep"
	[ -e "$d/prog" ] || timeout 1500 "$NVCC" -std=c++17 -O2 -w -DNDEBUG --expt-relaxed-constexpr --expt-extended-lambda -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]' -cudart shared --keep --keep-dir "$d/keep" \
		-I"$cutlass/include" -I"$cutlass/tools/util/include" -I"$cutlass/tools/library/include" -I"$cutlass/examples/common" -I"$cutlass/examples" -I"$(dirname "$cutlass/examples/$1")" \
		"$cutlass/examples/$1" -o "$d/prog" -L"$CUDA_HOME/lib64" -L"$CUDA_HOME/lib64/stubs" -lcuda -Xcompiler -fopenmp $FLAGS >"$d/build.log" 2>&1 || { echo "not built: $1: $(grep -m1 -iE 'error|fatal' "$d/build.log" | cut -c1-200)"; rm -f "$d/prog"; return; }
	[ -e "$d/code.ptx" ] || mv "$d"/keep/*.ptx "$d/code.ptx"
	rm -rf "$d/keep"
	for a in "ours=$goptxas" "reference=$REF" $MORE; do
		command=${a#*=}
		[ -e "$d/${a%%=*}.cubin" ] || timeout 300 ${command//,/ } -arch=sm_90a "$d/code.ptx" -o "$d/${a%%=*}.cubin" >"$d/${a%%=*}.log" 2>&1 || echo "${a%%=*} refuses $1: $(head -c 200 "$d/${a%%=*}.log")"
	done
}
export -f build
printf '%s\n' "$@" | sed 's/ .*//' | sort -u | xargs -P "${N:-$(nproc)}" -n 1 bash -c 'build "$0"'
[ -z "${BUILD:-}" ] || exit 0
[ -e "$out/launches.so" ] || cc -O2 -shared -fPIC -o "$out/launches.so" "$here/launches.c" -I"$CUDA_HOME/include" -ldl || exit 1
for f in "$@"; do
	args= file=${f%% *}
	[ "$f" = "$file" ] || args=${f#* }
	d=$out/$(basename "${file%.cu}")
	codes=$d/ours.cubin:$d/reference.cubin names="ours reference"
	for a in $MORE; do [ ! -e "$d/${a%%=*}.cubin" ] || { codes=$codes:$d/${a%%=*}.cubin names="$names ${a%%=*}"; }; done
	[ -e "$d/prog" ] && [ -e "$d/ours.cubin" ] && [ -e "$d/reference.cubin" ] || continue
	rm -f "$d/times"
	said=
	for i in $(seq "$RUNS"); do
		# shellcheck disable=SC2086
		(cd "$d" && LD_LIBRARY_PATH=$out:$CUDA_HOME/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} CODES=$codes TIMES=$d/times START=$((i - 1)) LD_PRELOAD=$out/launches.so timeout -k 5 "${SECONDS_EACH:-60}" ./prog $args >"run.$i.log" 2>&1)
		said="$said exit $? $(grep -viE 'greatest error' "$d/run.$i.log" | grep -ciE 'fail|error|mismatch|incorrect')"
	done
	echo "== $(basename "$file") $args:$said (exit and complaints of each run)"
	python3 - "$d/times" "$LEAST" $names <<'P'
import collections, re, statistics, subprocess, sys
path, least, names = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
launches = collections.defaultdict(list)
try:
    for line in open(path):
        name, grid, block, code, us = line.split()
        launches[name, grid, block].append((int(code), float(us)))
except OSError:
    sys.exit("no launches")
reference = names.index("reference")
for (name, grid, block), l in launches.items():
    us = {c: statistics.median(t for k, t in l if k == c) for c in {c for c, _ in l}}
    if len(us) < len(names) or us[reference] < least:
        continue
    row = []
    for c, n in enumerate(names):
        if c != reference:
            pairs = [a[1] / b[1] if a[0] == reference else b[1] / a[1] for a, b in zip(l, l[1:]) if {a[0], b[0]} == {c, reference}]
            row.append(f"{n} {statistics.median(pairs) if pairs else us[reference] / us[c]:.3f}")
    short = subprocess.run(["c++filt", "-p", name], capture_output=True, text=True).stdout.strip() if len(name) < 20000 else name
    short = re.sub(r"cutlass::|cute::|kernel::|void ", "", short or name)[:70]
    print(f"  {us[reference]:9.2f} us {len(l):4d} launches  {'  '.join(row)}  {grid} {block} {short}")
P
done
