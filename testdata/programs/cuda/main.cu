#include "common.h"
#include <cstring>
#include <vector>

extern __shared__ float scratch[];

__global__ void bodies(Body *b, const double *force, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    Body x = b[t];
    for (int i = 0; i < 3; i++) x = step(x, force, 0.01 * (t + 1), n);
    Pair p = {(u32)x.id, (u32)t * 37};
    p = order(p);
    x.id = p.hi - p.lo;
    b[t] = x;
}
__global__ void recursion(u32 *o) { o[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x % 5); }
__global__ void functions(float *o) {
    int t = threadIdx.x;
    float r = shapes[t & 3](t * 0.1f, 3.0f) + pick(t)(t * 0.2f, 1.0f);
    r += integrate(shapes[(t >> 2) & 3], 0, 1 + t * 0.05f, 20 + t % 7);
    if (t % 3 == 1) r += integrate(pick(t + 1), -1, 1, 16);
    o[t] = r + polynomial((double)t, 4);
}
__global__ void sums(float *o, const float *in) {
    int t = threadIdx.x;
    float s = blockSum(in[blockIdx.x * blockDim.x + t] * weights[t & 31]);
    if (t == 0) o[blockIdx.x] = s;
}
__global__ void heap(u32 *o) {
    u32 n, best = 0;
    u32 *list = collatz(27 + threadIdx.x, &n);
    for (u32 i = 0; i < n; i++) best = max(best, list[i]);
    assert(list[n - 1] == 1);
    free(list);
    o[2 * threadIdx.x] = n;
    o[2 * threadIdx.x + 1] = best;
}
__global__ void speak(int n) {
    for (int i = 0; i < n; i++) report("line", i * 7, i * 1.25, i & 1 ? "odd" : "even");
    printf("no arguments\n");
    printf("%f %e %g %s|%-8d|%+d|%#x\n", 1.5f, 1e10, 0.1, "text", 42, 7, 255);
}
__global__ void texture(cudaTextureObject_t t, float *o) {
    int x = threadIdx.x % 8, y = threadIdx.x / 8;
    o[threadIdx.x] = sample(t, x + 0.5f, y + 0.25f) + sample(t, x * 0.7f, y * 1.3f);
}

static int failed;
#define check(x)                                                                          \
    do {                                                                                  \
        cudaError_t e = (x);                                                              \
        if (e) printf("%s: %s\n", #x, cudaGetErrorString(e)), fflush(stdout), failed = 1; \
    } while (0)

// show prints a checksum and the first values of a buffer.
template <class T> static void show(const char *name, const T *dev, int n, const char *format) {
    std::vector<T> v(n);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(v.data(), dev, n * sizeof(T), cudaMemcpyDeviceToHost));
    u64 h = 1469598103934665603ull;
    const unsigned char *b = (const unsigned char *)v.data();
    for (size_t i = 0; i < n * sizeof(T); i++) h = (h ^ b[i]) * 1099511628211ull;
    printf("%-10s %016llx", name, h);
    for (int i = 0; i < 4 && i < n; i++) printf(format, v[i]);
    printf("\n");
    fflush(stdout);
}

int main() {
    check(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    float *f;
    u32 *u;
    Body *b;
    double *force;
    check(cudaMalloc(&f, 1 << 16));
    check(cudaMalloc(&u, 1 << 16));
    check(cudaMemset(u, 0, 1 << 16));
    check(cudaMalloc(&b, 64 * sizeof(Body)));
    check(cudaMalloc(&force, 24 * sizeof(double)));
    std::vector<Body> bodiesHost(64);
    for (int i = 0; i < 64; i++) {
        memset(&bodiesHost[i], 0, sizeof(Body));
        for (int k = 0; k < 3; k++) bodiesHost[i].pos[k] = i * 0.5 + k, bodiesHost[i].vel[k] = k - i * 0.25;
        bodiesHost[i].mass = 1 + i % 5, bodiesHost[i].id = i;
    }
    double fh[24];
    for (int i = 0; i < 24; i++) fh[i] = (i * 7 % 11) - 5.5;
    check(cudaMemcpy(b, bodiesHost.data(), 64 * sizeof(Body), cudaMemcpyHostToDevice));
    check(cudaMemcpy(force, fh, sizeof fh, cudaMemcpyHostToDevice));
    bodies<<<2, 32>>>(b, force, 8);
    show("bodies", (double *)b, 64 * sizeof(Body) / 8, " %.6f");
    recursion<<<1, 32>>>(u);
    show("recursion", u, 32, " %u");
    functions<<<1, 64>>>(f);
    show("functions", f, 64, " %.5f");
    u32 seen;
    check(cudaMemcpyFromSymbol(&seen, visits, 4));
    printf("visits     %u\n", seen);
    std::vector<float> in(1024);
    for (int i = 0; i < 1024; i++) in[i] = (i * 37 % 101) * 0.125f;
    check(cudaMemcpy(f + 4096, in.data(), 4096, cudaMemcpyHostToDevice));
    sums<<<8, 128, 128 * sizeof(float)>>>(f, f + 4096);
    show("sums", f, 8, " %.3f");
    float w[32];
    for (int i = 0; i < 32; i++) w[i] = 32 - i;
    check(cudaMemcpyToSymbol(weights, w, sizeof w));
    sums<<<8, 128, 128 * sizeof(float)>>>(f, f + 4096);
    show("weights", f, 8, " %.3f");
    heap<<<1, 64>>>(u);
    show("heap", u, 128, " %u");
    speak<<<1, 1>>>(4);
    check(cudaDeviceSynchronize());
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    check(cudaMallocArray(&a, &d, 8, 8));
    check(cudaMemcpy2DToArray(a, 0, 0, in.data(), 8 * 4, 8 * 4, 8, cudaMemcpyHostToDevice));
    cudaResourceDesc rd = {};
    rd.resType = cudaResourceTypeArray;
    rd.res.array.array = a;
    cudaTextureDesc td = {};
    td.filterMode = cudaFilterModeLinear;
    td.addressMode[0] = td.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t t;
    check(cudaCreateTextureObject(&t, &rd, &td, nullptr));
    texture<<<1, 64>>>(t, f);
    show("texture", f, 64, " %.5f");
    check(cudaDeviceSynchronize());
    printf(failed ? "failed\n" : "done\n");
    return failed;
}
