#!/bin/bash
# Builds NVIDIA's CUDA samples with goptxas and runs them; those that do not
# end well are built and run with the reference too.
#
#   samples.sh GOPTXAS SAMPLES OUT [FOLDER...]
#
# SAMPLES is a checkout of cuda-samples, FOLDERs are below its Samples.
# SECONDS_EACH is how long a program may run, N how many are made at once.
set -u
goptxas=$(realpath "$1") samples=$(realpath "$2")
mkdir -p "$3"
out=$(realpath "$3")
shift 3
here=$(cd "$(dirname "$0")" && pwd)
CUDA_HOME=${CUDA_HOME:-/usr/local/cuda}
ARCH=${ARCH:-sm_90}
export SECONDS_EACH=${SECONDS_EACH:-20} samples out CUDA_HOME ARCH
sh "$here/../../tools/toolkit.sh" "$out/toolkit" "$goptxas" >/dev/null || exit 1
libraries=
for l in cublas cufft cusparse cusolver curand; do [ -e "$CUDA_HOME/lib64/lib$l.so" ] && libraries="$libraries -l$l"; done
export libraries
[ $# -gt 0 ] || set -- $(cd "$samples/Samples" && find . -name '*.cu' -printf '%h\n' | sed 's|^\./||; s|/src$||' | sort -u)

build() { # nvcc, folder of the sample, where the program goes
	files=$(find "$2" "$2/src" -maxdepth 1 \( -name '*.cu' -o -name '*.cpp' \) 2>/dev/null | sort -u)
	flags=
	grep -qE 'CUDA_SEPARABLE_COMPILATION ON|-rdc|cudadevrt' "$2/CMakeLists.txt" 2>/dev/null && flags="-rdc=true -lcudadevrt"
	# The samples that load a module of their own want it as a file beside them.
	for f in $files; do
		case $f in *Drv*_kernel*.cu | *_kernel64.cu | */vectorAddMMAP/*_kernel.cu | */threadMigration_kernel.cu | */memMapIPCDrv/*_kernel.cu)
			"$1" -std=c++17 -arch="$ARCH" -I"$samples/Common" -fatbin "$f" -o "$3/$(basename "${f%.cu}")64.fatbin" || return 1
			files=$(echo "$files" | grep -vxF "$f")
			;;
		esac
	done
	# shellcheck disable=SC2086
	"$1" -std=c++17 -w -arch="$ARCH" --extended-lambda -Xcompiler -fopenmp $flags -I"$samples/Common" -I"$samples/Common/UtilNPP" -I"$2" -I"$2/inc" -I"$2/src" $files -o "$3/prog" \
		-L"$CUDA_HOME/lib64/stubs" -lcuda -lgomp $libraries
}
one() { # nvcc, who, sample: prints how it ended
	d=$out/$2/$3
	mkdir -p "$d"
	cp -r "$samples/Samples/$3"/* "$d/" 2>/dev/null
	build "$1" "$samples/Samples/$3" "$d" >"$d/build.log" 2>&1 || { echo "not built"; return; }
	(cd "$d" && timeout -k 5 "$SECONDS_EACH" ./prog >run.log 2>&1)
	echo "exit $? $(grep -ciE 'fail|error|mismatch' "$d/run.log") complaints"
}
both() { # sample
	ours=$(one "$out/toolkit/bin/nvcc" ours "$1")
	[ "$ours" = "exit 0 0 complaints" ] && { echo "passes | $1"; return; }
	reference=$(one "$CUDA_HOME/bin/nvcc" reference "$1")
	[ "$ours" = "$reference" ] && same=alike || same=DIFFERS
	echo "$same | $1 | $ours | reference: $reference"
}
export -f build one both
printf '%s\n' "$@" | xargs -P "${N:-$(nproc)}" -n 1 bash -c 'both "$0"' | tee "$out/results.txt"
echo "passes $(grep -c '^passes' "$out/results.txt"), ends as with the reference $(grep -c '^alike' "$out/results.txt"), differs $(grep -c '^DIFFERS' "$out/results.txt")"
