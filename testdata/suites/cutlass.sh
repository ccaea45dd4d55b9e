#!/bin/bash
# Builds files of CUTLASS' unit tests with goptxas and runs them; those that
# do not pass are built and run with the reference too.
#
#   cutlass.sh GOPTXAS CUTLASS GOOGLETEST OUT [FILE...]
#
# FILEs are below test/unit of the checkout CUTLASS. SECONDS_EACH is how long
# one may run. With CHECK="memcheck racecheck synccheck" they run under
# compute-sanitizer as well.
set -u
goptxas=$(realpath "$1") cutlass=$(realpath "$2") gtest=$(realpath "$3")
mkdir -p "$4"
out=$(realpath "$4")
shift 4
here=$(cd "$(dirname "$0")" && pwd)
CUDA_HOME=${CUDA_HOME:-/usr/local/cuda}
export SECONDS_EACH=${SECONDS_EACH:-40} CHECK=${CHECK:-}
sh "$here/../../tools/toolkit.sh" "$out/toolkit" "$goptxas" >/dev/null || exit 1
[ $# -gt 0 ] || set -- $(cd "$cutlass/test/unit" && ls pipeline/*.cu cute/hopper/*.cu cute/ampere/*.cu core/*.cu gemm/warp/*sm80*.cu gemm/warp/*sm75*.cu gemm/thread/*.cu reduction/*/*.cu transform/*/*.cu epilogue/*/*.cu)
inc="-I$cutlass/include -I$cutlass/tools/util/include -I$cutlass/tools/library/include -I$cutlass/test/unit/common -I$cutlass/test/unit -I$gtest/googletest/include -I$gtest/googlemock/include"
cd "$out" || exit 1
[ -e gtest.a ] || { g++ -std=c++17 -O1 -I"$gtest/googletest/include" -I"$gtest/googletest" -I"$gtest/googlemock/include" -I"$gtest/googlemock" -c "$gtest/googletest/src/gtest-all.cc" "$gtest/googlemock/src/gmock-all.cc" && ar rcs gtest.a gtest-all.o gmock-all.o; }
[ -e main.o ] || "$CUDA_HOME/bin/nvcc" -std=c++17 -O1 $inc -c "$cutlass/test/unit/test_unit.cpp" -o main.o
[ -e filter.o ] || "$CUDA_HOME/bin/nvcc" -std=c++17 -O1 $inc -c "$cutlass/test/unit/common/filter_architecture.cpp" -o filter.o

one() { # nvcc, name of the assembler, file: builds, runs, prints what came of it
	d=$out/$2/$(echo "$3" | tr / _)
	mkdir -p "$d"
	"$1" -std=c++17 -O1 -DNDEBUG -DCUTLASS_ENABLE_TENSOR_CORE_MMA=1 -DCUTLASS_TARGET_NAME=\"u\" --expt-relaxed-constexpr --expt-extended-lambda \
		-gencode arch=compute_90a,code=sm_90a $inc -I"$(dirname "$cutlass/test/unit/$3")" "$cutlass/test/unit/$3" main.o filter.o gtest.a -o "$d/prog" -lcuda \
		-L"$CUDA_HOME/lib64/stubs" >"$d/build.log" 2>&1 || { echo "not built"; return; }
	timeout "$SECONDS_EACH" "$d/prog" >"$d/run.log" 2>&1
	printf 'rc=%d %d ok %d failed' $? "$(grep -c '\[       OK' "$d/run.log")" "$(grep -c '^\[  FAILED  \].*ms)' "$d/run.log")"
	for tool in $CHECK; do
		timeout 60 compute-sanitizer --tool "$tool" "$d/prog" >"$d/$tool.log" 2>&1
		printf ' %s: %s' "$tool" "$(grep -oE '[0-9]+ (errors?|hazards)' "$d/$tool.log" | head -1)"
	done
	echo
}
both() { # file
	ours=$(one "$out/toolkit/bin/nvcc" ours "$1")
	case $ours in
	"rc=0 "*" 0 failed" | "not built") echo "$1 | $ours" ;;
	*) echo "$1 | $ours | reference: $(one "$CUDA_HOME/bin/nvcc" reference "$1")" ;;
	esac
}
export -f one both
export out cutlass gtest inc CUDA_HOME
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 bash -c 'both "$0"' | tee results.txt
