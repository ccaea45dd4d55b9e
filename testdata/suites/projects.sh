#!/bin/bash
# Runs the tests of projects of Triton kernels under twin.py: each kernel's first
# launch with the code of both compilers, compared and timed.
#
#   projects.sh GOPTXAS OUT CHECKOUTS [PROJECT...]
#
# CHECKOUTS has a folder for each project of the table below; those that are not
# there are left out. PYTHON has PyTorch, Triton, pytest, pytest-xdist,
# pytest-timeout, expecttest and what a project itself needs. LIMIT is the seconds
# of each project, N the workers of each; SEED and MORE are TWIN_SEED and TWIN_MORE.
set -u
goptxas=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2") checkouts=$(realpath "$3")
shift 3
here=$(cd "$(dirname "$0")" && pwd)
PYTHON=${PYTHON:-python3}

# project | where its packages are | its tests
table='
fla           | .           | tests/ops tests/modules
liger         | src         | test/transformers --ignore-glob=*cutedsl* --ignore-glob=*cutile* --ignore=test/transformers/test_monkey_patch.py --ignore=test/transformers/test_auto_model.py
gems          | src         | tests
gemlite       | .           | tests
attorch       | .           | tests
helion        | .           | test/test_examples.py test/test_matmul.py test/test_reductions.py test/test_loops.py test/test_dot.py test/test_views.py test/test_indexing.py test/test_atomic_ops.py
mamba         | .           | tests/ops/triton tests/test_determinism.py
lightllm      | .           | unit_tests
'
export TRITON_PTXAS_PATH=$goptxas TRITON_CACHE_DIR=$out/cache PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=2 HF_HUB_OFFLINE=1
export HELION_AUTOTUNE_EFFORT=none # the first configuration of each kernel
export TWIN_OUT=$out/records TWIN_SEED=${SEED:-1} TWIN_K=${TWIN_K:-2} TWIN_CONFIGS=${TWIN_CONFIGS:-2} TWIN_LOCK=$out/lock TWIN_MORE=${MORE:-}
mkdir -p "$TWIN_OUT"
while IFS='|' read -r project path tests; do
	project=${project// /} path=${path// /}
	[ -n "$project" ] && [ -d "$checkouts/$project" ] || continue
	[ $# -eq 0 ] || [[ " $* " == *" $project "* ]] || continue
	(
		cd "$checkouts/$project" || exit 1
		set -f
		# shellcheck disable=SC2086
		PYTHONPATH=$PWD/$path:$here${PYTHONPATH:+:$PYTHONPATH} timeout -s KILL "${LIMIT:-180}" "$PYTHON" -m pytest -p twin -p no:cacheprovider -n "${N:-3}" --timeout 60 \
			--timeout-method thread --continue-on-collection-errors -q --no-header -rN --tb=short $tests >"$out/$project.out" 2>&1
		echo "$project: $(tail -1 "$out/$project.out" | cut -c1-150)"
	) &
done <<<"$table"
wait
"$PYTHON" "$here/twin.py" "$TWIN_OUT" | tee "$out/twin.txt"
