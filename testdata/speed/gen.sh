#!/bin/sh
# Makes kernels.ptx from kernels.cu: needs nvcc and the CUDA headers.
set -e
cd "$(dirname "$0")"
nvcc -ptx -O3 -arch=sm_90 $NVCC_FLAGS kernels.cu -o kernels.tmp
{
	grep '^//:' kernels.cu
	sed '/^\/\//d' kernels.tmp
} >kernels.ptx
rm kernels.tmp
