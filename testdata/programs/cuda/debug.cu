// A program for a debugger: a kernel with a loop, a function and local
// variables.
#include <cstdio>

__device__ __noinline__ int square(int x)
{
    int y = x * x;
    return y;
}

extern "C" __global__ void scale(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < n; k++) {
        sum += square(in[i] + k);
    }
    out[i] = sum;
}

int main()
{
    const int count = 64;
    int in[count], out[count];
    for (int k = 0; k < count; k++)
        in[k] = 3 * k - 50;
    int *a, *b;
    cudaMalloc(&a, sizeof in);
    cudaMalloc(&b, sizeof out);
    cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice);
    scale<<<2, count / 2>>>(a, b, 5);
    cudaMemcpy(out, b, sizeof out, cudaMemcpyDeviceToHost);
    long sum = 0;
    for (int k = 0; k < count; k++)
        sum = sum * 31 + out[k];
    printf("%s, sum %ld\n", cudaGetErrorString(cudaGetLastError()), sum);
    return 0;
}
