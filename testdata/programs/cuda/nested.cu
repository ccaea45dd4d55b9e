// Kernels that launch kernels: linked with the toolkit's device runtime, whose
// code the reference has assembled.
#include <cstdio>
#include <cstdlib>

__device__ int order[64], next;

__global__ void leaf(int* out, int value) { atomicAdd(&out[threadIdx.x], value * (threadIdx.x + 1)); }

__global__ void after(int* out, int depth) {
    if (threadIdx.x == 0) order[next++] = depth;
    __syncthreads();
    out[threadIdx.x] = out[threadIdx.x] * 3 + depth;
}

__global__ void tree(int* out, int depth) {
    if (threadIdx.x == 0) {
        leaf<<<1, 32, 0, cudaStreamFireAndForget>>>(out, depth);
        if (depth > 0) tree<<<2, 4, 0, cudaStreamFireAndForget>>>(out, depth - 1);
        if (blockIdx.x == 0 && depth == 4) after<<<1, 32, 0, cudaStreamTailLaunch>>>(out, depth);
    }
}

int main() {
    int *out, host[32], seen[64];
    if (cudaMalloc(&out, sizeof host) || cudaMemset(out, 0, sizeof host)) exit(1);
    tree<<<1, 4>>>(out, 4);
    cudaError_t e = cudaDeviceSynchronize();
    if (e) {
        printf("%s\n", cudaGetErrorString(e));
        exit(1);
    }
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(seen, order, sizeof seen);
    for (int i = 0; i < 32; i++) printf("%d ", host[i]);
    printf("\n%d\n", seen[0]);
    return 0;
}
