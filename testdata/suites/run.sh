#!/bin/bash
# Runs tests of others with goptxas as their assembler, and what fails again
# with the reference: what only then passes is ours.
#
#   run.sh GOPTXAS OUT triton|inductor|jax
#
# TRITON is a checkout of Triton at the version that is installed, JAX one of
# JAX. PYTHON has them, PyTorch, expecttest, pytest, pytest-xdist, pytest-timeout
# and pytest-forked. FRAC is PICK_FRAC of pick.py; LIMIT the seconds of the first
# run; N the workers. Lists of tests that fail with goptxas alone are in OUT.
set -u
goptxas=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
PYTHON=${PYTHON:-python3}
CUDA_HOME=${CUDA_HOME:-/usr/local/cuda}
N=${N:-16}
LIMIT=${LIMIT:-300}
export PYTHONPATH=$here${PYTHONPATH:+:$PYTHONPATH} PYTHONDONTWRITEBYTECODE=1

tests() { # log, file with the names to run or "", files...
	log=$1 only=$2
	shift 2
	PICK_LOG=$log PICK_ONLY=$only PICK_FRAC=${FRAC:-} timeout -s KILL "$LIMIT" "$PYTHON" -m pytest -p pick -p no:cacheprovider -n "$N" \
		--max-worker-restart 400 --timeout 60 --timeout-method thread -q --no-header -rN --tb=short "$@" >"$log.out" 2>&1
}

both() { # how to set up an assembler, files...
	how=$1
	shift
	rm -f "$out"/*.log
	($how ours; tests "$out/ours.log" "" "$@")
	"$PYTHON" "$here/score.py" "$out/ours.log" "$out/ours.bad"
	(FRAC= && $how reference; tests "$out/reference.log" "$out/ours.bad" "$@")
	"$PYTHON" "$here/score.py" "$out/reference.log" "$out/reference.bad"
	grep -P '^end\t.*\tpassed' "$out/reference.log" | cut -f2 | sort -u | grep -xFf - "$out/ours.bad" >"$out/only.txt"
	echo "with goptxas alone: $(wc -l <"$out/only.txt")"
}

triton() { # ours or reference
	export TRITON_CACHE_DIR=$out/cache-$1
	[ "$1" = ours ] && export TRITON_PTXAS_PATH=$goptxas
}

jax() { # ours or reference
	t=$CUDA_HOME
	if [ "$1" = ours ]; then
		t=$out/toolkit
		sh "$here/../../tools/toolkit.sh" "$t" "$goptxas" >/dev/null || exit 1
	fi
	export PATH=$t/bin:$PATH CUDA_ROOT=$t CUDA_HOME=$t JAX_PLATFORMS=cuda XLA_PYTHON_CLIENT_PREALLOCATE=false JAX_ENABLE_COMPILATION_CACHE=false JAX_NUM_GENERATED_CASES=2
	export XLA_FLAGS="--xla_gpu_cuda_data_dir=$t --xla_gpu_enable_libnvptxcompiler=false --xla_gpu_enable_libnvjitlink=false --xla_gpu_autotune_level=0"
}

operators() { # ours or reference, file with the names to run or nothing
	triton "$1"
	for i in $(seq 0 $((N - 1))); do
		TORCHINDUCTOR_CACHE_DIR=$out/inductor-$1/$i timeout -s KILL "$((LIMIT + 30))" "$PYTHON" "$here/inductor_ops.py" "$i" "$N" "$out/$1.log" "$LIMIT" ${2:+"$2"} >"$out/$1.$i.out" 2>&1 &
	done
	wait
}

case $3 in
triton)
	FRAC=${FRAC:-test_core.py=0.4,test_mxfp.py=0.3,test_conversions=0.5,test_compile_errors=0,test_frontend=0,06-fused=0.5}
	cd "$TRITON/python/test" || exit 1
	tutorials=$(ls ../tutorials/06-fused-attention.py ../tutorials/gluon/0[34578]-*.py)
	# shellcheck disable=SC2086
	both triton unit/language unit/cuda unit/runtime/test_launch.py unit/runtime/test_autotuner.py gluon/test_core.py gluon/test_lowerings.py regression $tutorials
	;;
jax)
	cd "$JAX/tests" || exit 1
	both jax pallas/pallas_test.py pallas/ops_test.py pallas/gpu_ops_test.py pallas/mosaic_gpu_test.py pallas/mgpu_attention_test.py pallas/mgpu_matmul_test.py \
		mosaic/gpu_test.py lax_test.py lax_numpy_reducers_test.py lax_control_flow_test.py lax_scipy_test.py random_lax_test.py nn_test.py
	;;
inductor)
	rm -f "$out"/*.log
	(operators ours)
	[ -s "$out/ours.log" ] || { tail -3 "$out/ours.0.out" && exit 1; }
	awk -F'\t' '$1 == "start" {s[$2]} $1 == "end" && $3 ~ /^(ok|eager)/ {delete s[$2]} END {for (k in s) print k}' "$out/ours.log" >"$out/ours.bad"
	(operators reference "$out/ours.bad")
	grep -cP '^end\t.*\tok' "$out/ours.log"
	grep -P '^end\t.*\tok' "$out/reference.log" | cut -f2 >"$out/only.txt"
	echo "with goptxas alone: $(wc -l <"$out/only.txt") of $(wc -l <"$out/ours.bad") that are not right"
	;;
esac
