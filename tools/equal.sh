#!/bin/sh
# Compiles files with the compiler built for this machine, for arm64 (with
# qemu-aarch64) and for WebAssembly (with node), and compares the cubins. What
# is not installed is left out, with a message.
#
#   equal.sh FOLDER [N [ARCH]]      N files of the folder's PTX files, evenly spaced
set -eu
folder=$(cd "$1" && pwd)
n=${2:-200} arch=${3:-}
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
CGO_ENABLED=0 go build -o "$out/here" ./cmd/goptxas
CGO_ENABLED=0 GOARCH=arm64 go build -o "$out/arm64" ./cmd/goptxas
GOOS=js GOARCH=wasm go build -o "$out/wasm" ./cmd/goptxas
qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
node=$(command -v node || true)
exec_js=$(go env GOROOT)/lib/wasm/wasm_exec_node.js
[ -n "$qemu" ] || echo "no qemu-aarch64: arm64 is left out"
[ -n "$node" ] || echo "no node: WebAssembly is left out"
find "$folder" -name '*.ptx' | sort >"$out/all"
total=$(wc -l <"$out/all")
awk -v n="$n" -v t="$total" 'BEGIN { s = t > n ? t / n : 1 } int((NR - 1) / s) != int((NR - 2) / s) || NR == 1' "$out/all" | head -n "$n" >"$out/list"
same=0 differ=0 refused=0
while read -r f; do
	a=$arch
	[ -n "$a" ] || a=$(sed -n 's/^\.target[ \t]*\(sm_[0-9a-z]*\).*/\1/p' "$f" | head -1)
	rm -f "$out"/*.cubin
	if ! "$out/here" -arch="$a" "$f" -o "$out/here.cubin" >/dev/null 2>&1; then
		refused=$((refused + 1))
		continue
	fi
	ok=1
	if [ -n "$qemu" ]; then
		"$qemu" "$out/arm64" -arch="$a" "$f" -o "$out/arm64.cubin" >/dev/null 2>&1 && cmp -s "$out/here.cubin" "$out/arm64.cubin" || { ok=0; echo "arm64 differs: $f"; }
	fi
	if [ -n "$node" ]; then
		"$node" --stack-size=8192 "$exec_js" "$out/wasm" -arch="$a" "$f" -o "$out/wasm.cubin" >/dev/null 2>&1 && cmp -s "$out/here.cubin" "$out/wasm.cubin" || { ok=0; echo "WebAssembly differs: $f"; }
	fi
	if [ $ok = 1 ]; then same=$((same + 1)); else differ=$((differ + 1)); fi
done <"$out/list"
echo "$same of $(wc -l <"$out/list") files give equal cubins everywhere, $differ differ, $refused are refused here"
[ $differ = 0 ]
