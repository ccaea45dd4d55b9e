#!/bin/bash
# Builds the CUDA backend of llama.cpp with goptxas in place of ptxas and asks
# its own test, which compares every operator with the CPU.
#
#   ggml.sh GOPTXAS LLAMA OUT
#
# LLAMA is a checkout of llama.cpp. CUDA_HOME has nvcc and cuBLAS. Kernels of
# attention are left out: they are most of the time it takes to build. N is
# how many run at once, LIMIT the seconds of one operator. What is timed runs
# twice, the second time with what the driver's compiler makes of the same PTX.
set -u
goptxas=$(realpath "$1")
llama=$(realpath "$2")
mkdir -p "$3/obj" "$3/res"
out=$(realpath "$3")
CUDA_HOME=${CUDA_HOME:-/usr/local/cuda}
N=${N:-16}
export LIMIT=${LIMIT:-60} LD_LIBRARY_PATH=$CUDA_HOME/lib64

mkdir -p "$out/cuda/bin" # a toolkit whose ptxas is goptxas
for f in "$CUDA_HOME"/*; do [ "$(basename "$f")" = bin ] || ln -sfn "$f" "$out/cuda/"; done
for f in "$CUDA_HOME"/bin/*; do ln -sfn "$f" "$out/cuda/bin/"; done
rm -f "$out"/cuda/bin/{nvcc,nvcc.profile,ptxas}
cp "$CUDA_HOME"/bin/{nvcc,nvcc.profile} "$out/cuda/bin/"
ln -s "$goptxas" "$out/cuda/bin/ptxas"

cd "$llama" || exit 1
names='-DGGML_SCHED_MAX_COPIES=4 -DGGML_COMMIT=\"x\" -DGGML_VERSION=\"x\" -w -Iggml/include -Iggml/src'
host="-O2 -march=native -D_GNU_SOURCE -DGGML_USE_CUDA -DGGML_USE_CPU -DGGML_USE_CPU_REPACK -Iggml/src/ggml-cpu $names"
device="-O3 -std=c++17 -gencode arch=compute_90a,code=[sm_90a,compute_90a] -use_fast_math -extended-lambda -DGGML_CUDA_NO_FA -DGGML_CUDA_PEER_MAX_BATCH_SIZE=128 -Iggml/src/ggml-cuda -Xcompiler -fPIC $names"
object() { echo "$out/obj/$(echo "$1" | tr / _).o"; }
{
	for f in ggml/src/ggml-cuda/template-instances/mm*.cu ggml/src/ggml-cuda/*.cu; do echo "$out/cuda/bin/nvcc $device -c $f -o $(object "$f")"; done
	for f in tests/test-backend-ops.cpp ggml/src/*.cpp ggml/src/ggml-cpu/{,arch/x86/,llamafile/,amx/}*.cpp; do echo "g++ -std=c++17 $host -c $f -o $(object "$f")"; done
	for f in ggml/src/*.c ggml/src/ggml-cpu/{,arch/x86/}*.c; do echo "gcc -std=c11 $host -c $f -o $(object "$f")"; done
} | xargs -d '\n' -P "$N" -I{} bash -c '{} || echo "not built: {}"'

cd "$out" || exit 1
# attention's kernels are named, and never called
g++ -Wl,--unresolved-symbols=ignore-all -o ops obj/*.o -L"$CUDA_HOME/lib64" -L"$CUDA_HOME/lib64/stubs" -lcudart -lcublas -lcublasLt -lcuda -lpthread -ldl -lgomp || exit 1
./ops support -b CUDA0 --output csv 2>/dev/null | cut -d, -f2 | tr -d '"' | sort -u | grep -v '^op_name$\|FLASH' > names
xargs -P "$N" -I{} bash -c 'timeout "$LIMIT" ./ops test -b CUDA0 -o {} > res/{}.log 2>&1; echo "{} exit $? right $(grep -c OK res/{}.log) wrong $(grep -c FAIL res/{}.log)"' < names > verdicts
awk '{right += $5; wrong += $7} END {print right, "right,", wrong, "wrong"}' verdicts
grep -v 'exit 0' verdicts
timeout "$LIMIT" ./ops perf -b CUDA0 > ours.perf 2>&1
CUDA_FORCE_PTX_JIT=1 CUDA_CACHE_PATH=$out/cache timeout "$LIMIT" ./ops perf -b CUDA0 > driver.perf 2>&1
