#!/bin/sh
# record.sh SOURCE.cu SM FOLDER [ARGUMENTS...]: compiles a program, runs its host code with a CUDA runtime that
# writes launches down, and leaves FOLDER/NAME.ptx and FOLDER/NAME.jsonl, a plan for gpurun sim.
#
#   NVCC      the compiler of the reference (nvcc)
#   INCLUDES  options that name folders of headers, for CUTLASS those of its include, tools/util/include and
#             examples/common and of the toolkit
#   KERNEL    part of the name of the kernel that is wanted (device_kernel)
#
# Settings of runtime.cpp and plan.py (RECORD_SMS, RECORD_MAX, RECORD_FILL, RECORD_PAD) go through.
set -eu
source=$1 sm=$2 folder=$3
shift 3
tools=$(cd "$(dirname "$0")" && pwd)
name=$(basename "$source" .cu)
mkdir -p "$folder/$name.tmp"
source=$(cd "$(dirname "$source")" && pwd)/$(basename "$source")
folder=$(cd "$folder" && pwd)
cd "$folder/$name.tmp"
if [ ! -f host.o ]; then
	# shellcheck disable=SC2086
	"${NVCC:-nvcc}" -c -keep -std=c++17 -Xcompiler -O0 -DNDEBUG --expt-relaxed-constexpr --expt-extended-lambda -w \
		-gencode "arch=compute_$sm,code=compute_$sm" ${INCLUDES:-} -I"$(dirname "$source")" -o host.o "$source"
	cp ./*.ptx "$folder/$name.ptx"
fi
# shellcheck disable=SC2086
g++ -O1 ${INCLUDES:-} -c "$tools/runtime.cpp" -o runtime.o
g++ host.o runtime.o -o host
python3 "$tools/plan.py" sizes "$folder/$name.ptx" >sizes
RECORD_CC=${sm%[af]} RECORD_OUT=record RECORD_SIZES=sizes ./host "$@" >log 2>&1 || true
python3 "$tools/plan.py" plan "$name.ptx" record "${KERNEL:-device_kernel}" >"$folder/$name.jsonl"
