#!/bin/sh
# Runs whole programs twice on a GPU, assembled by the reference and by
# goptxas, and prints for each whether the outputs are equal.
#
#   run.sh GOPTXAS [FOLDER]
#
# FOLDER keeps the outputs. CUDA_HOME is the toolkit (default
# /usr/local/cuda), PYTHON the interpreter with CuPy, Numba, Triton, PyTorch
# and JAX, ARCH the GPU (default sm_90a), LIMIT the seconds a program may
# take, ONLY the names of the programs to run.
goptxas=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
out=${2:-$(mktemp -d)}
mkdir -p "$out"
out=$(realpath "$out")
CUDA_HOME=${CUDA_HOME:-/usr/local/cuda}
PYTHON=${PYTHON:-python3}
ARCH=${ARCH:-sm_90a}
LIMIT=${LIMIT:-60}
export ARCH

# A toolkit for each assembler: the same links, and a ptxas that counts.
toolkit() { # name, assembler
    t=$out/toolkit-$1
    mkdir -p "$t/bin"
    for f in "$CUDA_HOME"/*; do [ "$(basename "$f")" = bin ] || ln -sfn "$f" "$t/"; done
    for f in "$CUDA_HOME"/bin/*; do ln -sfn "$f" "$t/bin/"; done
    rm -f "$t/bin/ptxas" "$t/bin/nvcc"
    cp "$CUDA_HOME/bin/nvcc" "$t/bin/" 2>/dev/null
    # A version is not an assembly: hosts ask for it first.
    printf '#!/bin/sh\ncase "$*" in *--version*) ;; *) echo "$*" >>"$ASSEMBLED" ;; esac\nexec "%s" "$@"\n' "$2" >"$t/bin/ptxas"
    chmod +x "$t/bin/ptxas"
}
run() { # program, who
    d=$out/$1-$2
    mkdir -p "$d"
    t=$out/toolkit-$2
    export ASSEMBLED="$d/assembled" PTXAS="$t/bin/ptxas"
    : >"$ASSEMBLED"
    cd "$d" || return
    case $1 in
    separate) "$t/bin/nvcc" -arch="$ARCH" -rdc=true "$here"/cuda/main.cu "$here"/cuda/math.cu "$here"/cuda/memory.cu -o program && ./program ;;
    whole) "$t/bin/nvcc" -arch="$ARCH" "$here"/cuda/whole.cu -o program && ./program ;;
    lines) "$t/bin/nvcc" -arch="$ARCH" -lineinfo -rdc=true "$here"/cuda/main.cu "$here"/cuda/math.cu "$here"/cuda/memory.cu -o program && ./program ;;
    debug) "$t/bin/nvcc" -arch="$ARCH" -G -rdc=true "$here"/cuda/main.cu "$here"/cuda/math.cu "$here"/cuda/memory.cu -o program && ./program ;;
    library) "$t/bin/nvcc" -arch="$ARCH" -std=c++17 --extended-lambda -diag-suppress 20054 "$here"/cuda/library.cu -o program && ./program ;;
    nested) "$t/bin/nvcc" -arch="$ARCH" -rdc=true "$here"/cuda/nested.cu -o program -lcudadevrt && ./program ;;
    jax)
        # XLA looks for it in PATH.
        PATH=$t/bin:$PATH XLA_FLAGS="--xla_gpu_cuda_data_dir=$t --xla_gpu_enable_libnvptxcompiler=false --xla_gpu_enable_libnvjitlink=false --xla_gpu_autotune_level=0" \
            JAX_PLATFORMS=cuda XLA_PYTHON_CLIENT_PREALLOCATE=false JAX_ENABLE_COMPILATION_CACHE=false TF_CPP_MIN_LOG_LEVEL=${TF_CPP_MIN_LOG_LEVEL:-1} \
            "$PYTHON" "$here/python/jax_program.py"
        ;;
    *)
        TRITON_CACHE_DIR=$d/triton TORCHINDUCTOR_CACHE_DIR=$d/inductor CUPY_CACHE_DIR=$d/cupy NUMBA_CACHE_DIR=$d/numba \
            "$PYTHON" "$here/python/$1_program.py"
        ;;
    esac
}

if [ "$3" = run ]; then # the script itself, under a time limit
    run "$4" "$5"
    exit
fi
toolkit reference "$(realpath "$CUDA_HOME/bin/ptxas")"
toolkit goptxas "$goptxas"
list=${ONLY:-separate whole lines debug library nested cupy numba triton inductor jax}
for p in $list; do
    for who in reference goptxas; do
        (
            timeout -k 5 "$LIMIT" sh "$0" "$goptxas" "$out" run "$p" "$who" >"$out/$p-$who.txt" 2>"$out/$p-$who.log"
            echo $? >"$out/$p-$who.exit"
        ) &
    done
done
wait
printf '%-10s %10s %8s %10s %s\n' program reference goptxas assembled result
bad=0
for p in $list; do
    a=$(cat "$out/$p-reference.exit") b=$(cat "$out/$p-goptxas.exit")
    n=$(wc -l <"$out/$p-goptxas/assembled")
    if [ "$a" = 0 ] && [ "$b" = 0 ] && [ "$n" -gt 0 ] && cmp -s "$out/$p-reference.txt" "$out/$p-goptxas.txt"; then
        result=equal
    else
        result=differs bad=1
    fi
    printf '%-10s %10s %8s %10s %s\n' "$p" "exit $a" "exit $b" "$n" "$result"
done
exit $bad
