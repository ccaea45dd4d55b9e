#include "common.h"

extern __shared__ float scratch[];

__device__ float blockSum(float v) { // dynamic shared memory, one float a thread
    u32 t = threadIdx.x;
    scratch[t] = v;
    __syncthreads();
    for (u32 s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) scratch[t] += scratch[t + s];
        __syncthreads();
    }
    return scratch[0];
}
__device__ u32 *collatz(u32 start, u32 *count) { // from the device's own heap
    u32 n = 1;
    for (u32 x = start; x != 1; n++) x = x & 1 ? 3 * x + 1 : x / 2;
    u32 *list = (u32 *)malloc(n * sizeof(u32));
    assert(list != nullptr);
    u32 x = start;
    for (u32 i = 0; i < n; i++) {
        list[i] = x;
        x = x & 1 ? 3 * x + 1 : x / 2;
    }
    *count = n;
    return list;
}
__device__ void report(const char *what, int a, double b, const char *text) {
    printf("%s: %d %8.3f %s %c %llx %5u%%\n", what, a, b, text, 'x', 0x123456789abcull, (u32)a * 3);
}
__device__ float sample(cudaTextureObject_t t, float x, float y) { return tex2D<float>(t, x, y) + polynomial(x, 2); }
