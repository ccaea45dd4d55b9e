#!/bin/sh
# cutlass.sh CUTLASS FOLDER [WORD...]: records what CUTLASS's examples for Blackwell would launch on a GPU that is
# not there, and runs every kernel with both compilers' code in the simulator and in the interpreter: at once with
# timed results, then early and late. WORDs choose examples by parts of their names. An example takes nvcc minutes,
# and is not compiled again while its folder in FOLDER stays.
#
#   NVCC     the compiler of the reference (nvcc)
#   HEADERS  options that name folders of the toolkit's headers
#   REF      the reference (ptxas)
#   OURS     our compiler (bin/goptxas, as make build leaves it; bin/gpurun must be there too)
#   LIMIT    time of one kernel (300s)
#
# It prints a line for each example: what both runs say, and early reads of the reference's code and of ours. The
# exit status is 1 when a kernel's code and the reference's do not leave the same, or read too early.
set -eu
cutlass=$(cd "$1" && pwd) folder=$2
shift 2
tools=$(cd "$(dirname "$0")" && pwd)
bin=$tools/../../bin
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
export INCLUDES="-I$cutlass/include -I$cutlass/tools/util/include -I$cutlass/examples/common ${HEADERS:-}"
judge() { # name, report, options: the outcome
	"$bin/gpurun" sim -vm $3 -limit "${LIMIT:-300s}" -ours "${OURS:-$bin/goptxas}" -ref "${REF:-ptxas}" \
		-corpus "$folder" -only "$1" -plan "$folder/$1.jsonl" -o "$folder/$1.$2.json" >"$folder/$1.$2.log" 2>&1 || true
	python3 -c 'import json, sys; print(" ".join(r["outcome"] for r in json.load(open(sys.argv[1]))) or "nothing")' "$folder/$1.$2.json" || echo nothing
}
products="--m=256 --n=256 --k=256 --iterations=0"
while read -r sm kernel example arguments; do
	name=$(basename "$example")
	if [ $# -gt 0 ]; then
		wanted=
		for w in "$@"; do case $name in *"$w"*) wanted=1 ;; esac done
		[ "$wanted" ] || continue
	fi
	# shellcheck disable=SC2086
	if KERNEL=$kernel "$tools/record.sh" "$cutlass/examples/$example.cu" "$sm" "$folder" ${arguments:-$products} 2>"$folder/$name.err" </dev/null; then
		outcome=$(judge "$name" timed -timed)
		echo "$outcome | $(judge "$name" async "-async early,late") | $sm | $name | $(grep -o 'early reads.*' "$folder/$name.timed.log" || true)"
	else
		echo "not recorded | | $sm | $name | $(tail -1 "$folder/$name.err")"
	fi
done <<EOF | tee "$folder/results.txt"
100a device_kernel 70_blackwell_gemm/70_blackwell_fp16_gemm
100a device_kernel 70_blackwell_gemm/70_blackwell_fp8_gemm
100a device_kernel 72_blackwell_narrow_precision_gemm/72a_blackwell_nvfp4_bf16_gemm
100a device_kernel 72_blackwell_narrow_precision_gemm/72b_blackwell_nvfp4_nvfp4_gemm
100a device_kernel 72_blackwell_narrow_precision_gemm/72c_blackwell_mixed_mxfp8_bf16_gemm
100a device_kernel 73_blackwell_gemm_preferred_cluster/blackwell_gemm_preferred_cluster
100a device_kernel 74_blackwell_gemm_streamk/blackwell_gemm_streamk
100a device_kernel 76_blackwell_conv/76_blackwell_conv_fprop --n=1 --d=1 --h=8 --w=8 --c=64 --k=64 --t=1 --r=3 --s=3 --pad_d=0 --iterations=0
100a device_kernel 76_blackwell_conv/76_blackwell_conv_dgrad --n=1 --d=1 --h=8 --w=8 --c=64 --k=64 --t=1 --r=3 --s=3 --pad_d=0 --iterations=0
100a device_kernel 76_blackwell_conv/76_blackwell_conv_wgrad --n=1 --d=1 --h=8 --w=8 --c=64 --k=64 --t=1 --r=3 --s=3 --pad_d=0 --iterations=0
100a device_kernel 78_blackwell_emulated_bf16x9_gemm/78_blackwell_emulated_bf16x9_gemm
120a device_kernel 79_blackwell_geforce_gemm/79a_blackwell_geforce_nvfp4_bf16_gemm
120a device_kernel 79_blackwell_geforce_gemm/79b_blackwell_geforce_nvfp4_nvfp4_gemm
120a device_kernel 79_blackwell_geforce_gemm/79c_blackwell_geforce_mixed_mxfp8_mxfp6_bf16_gemm
120a device_kernel 79_blackwell_geforce_gemm/79d_blackwell_geforce_nvfp4_grouped_gemm
120a GemmUniversal 80_blackwell_geforce_sparse_gemm/80a_blackwell_geforce_mxfp8_bf16_sparse_gemm
120a GemmUniversal 80_blackwell_geforce_sparse_gemm/80b_blackwell_geforce_nvfp4_nvfp4_sparse_gemm
100a device_kernel 81_blackwell_gemm_blockwise/81_blackwell_gemm_blockwise
100a device_kernel 81_blackwell_gemm_blockwise/81_blackwell_gemm_groupwise
100a GemmUniversal 83_blackwell_sparse_gemm/83_blackwell_sparse_gemm
100a GemmUniversal 84_blackwell_narrow_precision_sparse_gemm/84a_blackwell_nvfp4_bf16_sparse_gemm --m=256 --n=256 --k=512 --iterations=0
100a GemmUniversal 84_blackwell_narrow_precision_sparse_gemm/84b_blackwell_mixed_mxfp8_bf16_sparse_gemm --m=256 --n=256 --k=512 --iterations=0
120a device_kernel 87_blackwell_geforce_gemm_blockwise/87a_blackwell_geforce_fp8_bf16_gemm_blockwise
120a device_kernel 87_blackwell_geforce_gemm_blockwise/87b_blackwell_geforce_fp8_bf16_gemm_groupwise
120a device_kernel 87_blackwell_geforce_gemm_blockwise/87c_blackwell_geforce_fp8_bf16_grouped_gemm_groupwise --m=256 --n=256 --k=256 --groups=2 --iterations=0
103a device_kernel 89_sm103_fp4_ultra_gemm/89_sm103_fp4_ultra_gemm --m=256 --n=256 --k=768 --iterations=0
100a device_kernel 95_blackwell_gemm_green_context/95_blackwell_gemm_green_context
EOF
awk -F' [|] ' '$1 == "equal" { equal++ } $1 ~ /differ|fault|compile|nondet/ { bad++ } $5 ~ /ours [1-9]/ { bad++ } END { print equal+0 " of " NR " equal in three witnesses"; exit bad > 0 }' "$folder/results.txt"
