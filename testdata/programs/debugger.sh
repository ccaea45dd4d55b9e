#!/bin/sh
# Runs a program under cuda-gdb, assembled by the reference and by goptxas,
# with line tables (-lineinfo) and for debugging (-G): it must stop in the
# kernel, tell the line, show code and registers, step, stop at a line, and
# run to its end. Prints what was seen and whether it is the same for both.
#
#   debugger.sh GOPTXAS [FOLDER]
#
# FOLDER keeps the whole outputs. CUDA_HOME is the toolkit (default
# /usr/local/cuda), ARCH the GPU (default sm_90a), LIMIT the seconds one
# debugger may take.
goptxas=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
out=${2:-$(mktemp -d)}
mkdir -p "$out"
out=$(realpath "$out")
CUDA_HOME=${CUDA_HOME:-/usr/local/cuda}
ARCH=${ARCH:-sm_90a}
LIMIT=${LIMIT:-60}

assemble() { # flag, who: the program with the code of one assembler
    d=$out/$1-$2
    mkdir -p "$d/bin"
    for f in "$CUDA_HOME"/*; do [ "$(basename "$f")" = bin ] || ln -sfn "$f" "$d/"; done
    for f in "$CUDA_HOME"/bin/*; do ln -sfn "$f" "$d/bin/"; done
    rm -f "$d/bin/ptxas" "$d/bin/nvcc"
    cp "$CUDA_HOME/bin/nvcc" "$d/bin/"
    [ "$2" = goptxas ] && ln -s "$goptxas" "$d/bin/ptxas" || ln -s "$CUDA_HOME/bin/ptxas" "$d/bin/ptxas"
    cp "$here/cuda/debug.cu" "$d/"
    (cd "$d" && bin/nvcc -arch="$ARCH" "-$1" debug.cu -o program)
}
debug() { # folder
    cd "$1" || return
    timeout -k 5 "$LIMIT" "$CUDA_HOME/bin/cuda-gdb" -batch -ex 'set breakpoint pending on' -ex 'set confirm off' \
        -ex 'break scale' -ex run -ex 'info cuda kernels' -ex bt -ex 'x/4i $pc' -ex 'info registers R0 R1' \
        -ex stepi -ex stepi -ex 'info line *$pc' -ex 'info locals' -ex delete -ex 'break debug.cu:16' -ex continue \
        -ex 'x/2i $pc' -ex delete -ex continue ./program >gdb.txt 2>&1
}
# What must be the same whatever the code: where it stops and how it ends. At
# which line a kernel begins depends on the code.
seen() {
    sed -n -e 's/^CUDA thread hit Breakpoint 1[.0-9]*, \([a-z]*\).*debug.cu:.*/stops in \1/p' \
        -e 's/^CUDA thread hit Breakpoint 2[.0-9]*, \([a-z]*\).*debug.cu:/stops in \1 at line /p' \
        -e 's/^#0  *\([a-z]*\)<<<.*debug.cu:.*/is in \1/p' -e 's/^\(R[01]\) .*/shows \1/p' \
        -e 's/^=>.*/shows code/p' -e 's/^Line [0-9]* of .*debug.cu" starts.*/knows the line/p' \
        -e '/sum -*[0-9]/p' -e 's/.*exited normally.*/ends/p' "$1"
}
# What only full information about variables gives.
names() { grep -q 'n=5) at' "$1" && echo "names of variables" || echo "no names of variables"; }
for flag in lineinfo G; do
    for who in reference goptxas; do assemble $flag $who >"$out/$flag-$who.log" 2>&1 & done
done
wait
bad=0
for flag in lineinfo G; do
    for who in reference goptxas; do
        (debug "$out/$flag-$who")
        seen "$out/$flag-$who/gdb.txt" >"$out/$flag-$who.txt"
        cp "$out/$flag-$who/gdb.txt" "$out/$flag-$who.gdb"
    done
    echo "== -$flag: $(names "$out/$flag-reference.gdb") with the reference, $(names "$out/$flag-goptxas.gdb") with goptxas"
    cat "$out/$flag-goptxas.txt"
    if [ -s "$out/$flag-goptxas.txt" ] && cmp -s "$out/$flag-reference.txt" "$out/$flag-goptxas.txt"; then
        echo "the same"
    else
        echo "other than with the reference:"
        diff "$out/$flag-reference.txt" "$out/$flag-goptxas.txt"
        bad=1
    fi
done
exit $bad
