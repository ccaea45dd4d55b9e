#!/bin/sh
# triton.sh SET SM FOLDER [ARGUMENTS...]: records what a set of Triton programs would launch on a GPU that is not
# there, compiles every kernel with both compilers and runs it in the simulator and in the interpreter.
#
#   SET      one_kernel (the test of all this), products, attention, kinds, which need no sources; fla_ops, liger, flaggems,
#            tutorials: files of tools/record/triton.
#            Or tests, with files for pytest as arguments (Triton's gluon tutorials)
#   SOURCES  folder with checkouts of flash-linear-attention, Liger-Kernel, attorch, FlagGems and triton
#   PYTHON   a Python with torch and triton (3.9), for tests also pytest (python3)
#   REF      the reference (ptxas)
#   OURS     our compiler (bin/goptxas, as make build leaves it; bin/gpurun must be there too)
#   LIMIT    time of one kernel (100s)
#
# The exit status is 1 when a kernel's code and the reference's do not leave the same, or read too early.
set -eu
set=$1 sm=$2 folder=$3
shift 3
tools=$(cd "$(dirname "$0")" && pwd)
bin=$tools/../../bin
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
export RECORD_SM="${sm%[af]}" RECORD_OUT="$folder" RECORD_TAG="${RECORD_TAG:-$set}" PYTHONPATH="$tools/triton${PYTHONPATH:+:$PYTHONPATH}"
if [ "$set" = tests ]; then
	"${PYTHON:-python3}" -m pytest -q -p pytest_launches "$@" >"$folder/$set.log" 2>&1 || true # nothing runs, so tests fail
else
	"${PYTHON:-python3}" "$tools/triton/$set.py" "$@" >"$folder/$set.log" 2>&1
fi
echo "$(wc -l <"$folder/plan.jsonl") kernels, $(wc -l <"$folder/record.log") left out (record.log)"
"$bin/gpurun" sim -vm -timed -async early,late -limit "${LIMIT:-100s}" -ours "${OURS:-$bin/goptxas}" -ref "${REF:-ptxas}" \
	-corpus "$folder" -plan "$folder/plan.jsonl" -o "$folder/report.json" | tee "$folder/judge.log"
"${PYTHON:-python3}" "$tools/triton/count.py" "$folder" "${OURS:-$bin/goptxas}" "${REF:-ptxas}"
