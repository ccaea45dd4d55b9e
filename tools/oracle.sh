#!/bin/sh
# Installs the reference tools that test-oracle compares with: NVIDIA's own
# packages, by name, into the user's cache folder (GOPTXAS_ORACLE overrides).
# Does nothing when they are already there; exits 1 when they cannot be had.
set -eu
dir=${GOPTXAS_ORACLE:-${XDG_CACHE_HOME:-$HOME/.cache}/goptxas/oracle}
bin=$dir/nvidia/cu13/bin
complete() {
	for t in ptxas nvdisasm cuobjdump nvlink fatbinary nvcc; do
		[ -x "$bin/$t" ] || return 1
	done
}
if complete; then
	echo "oracle: $("$bin/ptxas" --version | grep release) in $dir"
	exit 0
fi
for pip in "python3 -m pip" pip3 pip; do
	$pip --version >/dev/null 2>&1 && break || pip=
done
if [ -z "$pip" ]; then
	echo "oracle: no pip on this machine" >&2
	exit 1
fi
mkdir -p "$dir"
$pip install --quiet --no-deps --upgrade --target "$dir" \
	nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 \
	nvidia-cuda-nvdisasm==13.2.51 nvidia-cuda-cuobjdump==13.2.51
if ! complete; then
	echo "oracle: the packages did not bring every tool to $bin" >&2
	exit 1
fi
echo "oracle: installed in $dir"
