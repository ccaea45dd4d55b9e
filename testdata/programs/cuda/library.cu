// What the libraries that come with the toolkit make of their templates:
// CUB's sorts, scans, reductions, histograms and selections, Thrust,
// cooperative groups over warps, blocks and the whole grid, libcu++'s
// barriers, pipelines and atomics, and the functions of math.h. Results are
// checked against the host where that is exact, and printed as sums of their
// bits.
#include <algorithm>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <functional>
#include <math.h>
#include <thrust/device_vector.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/unique.h>
#include <vector>
namespace cg = cooperative_groups;

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t e = (call);                                                           \
        if (e != cudaSuccess) {                                                           \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e));             \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

static uint64_t state = 88172645463325252ull;
static uint64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

template <class T> static uint64_t bits(const std::vector<T>& v) {
    uint64_t h = 1469598103934665603ull;
    const unsigned char* p = reinterpret_cast<const unsigned char*>(v.data());
    for (size_t i = 0; i < v.size() * sizeof(T); i++) h = (h ^ p[i]) * 1099511628211ull;
    return h;
}
static void say(const char* what, uint64_t h, bool right) { printf("%-24s %016llx %s\n", what, (unsigned long long)h, right ? "right" : "WRONG"); }

template <class T> static std::vector<T> random_values(size_t n) {
    std::vector<T> v(n);
    for (auto& x : v) x = T(int64_t(next() % 2000001) - 1000000);
    return v;
}

// Calls f twice as CUB wants it: to learn the size of its scratch memory, and
// to work.
template <class F> static void twice(F f) {
    void* scratch = nullptr;
    size_t bytes = 0;
    CHECK(f(scratch, bytes));
    CHECK(cudaMalloc(&scratch, bytes + 1));
    CHECK(f(scratch, bytes));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(scratch));
}

template <class T> static void algorithms(const char* name, size_t n) {
    std::vector<T> host = random_values<T>(n), sorted = host, out(n);
    thrust::device_vector<T> in(host.begin(), host.end()), result(n), sum(1);
    T *a = thrust::raw_pointer_cast(in.data()), *b = thrust::raw_pointer_cast(result.data()), *c = thrust::raw_pointer_cast(sum.data());
    char what[64];

    twice([&](void* s, size_t& bytes) { return cub::DeviceRadixSort::SortKeys(s, bytes, a, b, int(n)); });
    thrust::copy(result.begin(), result.end(), out.begin());
    std::sort(sorted.begin(), sorted.end());
    snprintf(what, sizeof what, "radix sort %s", name);
    say(what, bits(out), out == sorted);

    twice([&](void* s, size_t& bytes) { return cub::DeviceScan::InclusiveSum(s, bytes, a, b, int(n)); });
    thrust::copy(result.begin(), result.end(), out.begin());
    bool right = true; // whole numbers of this size have exact sums in every type
    T all = 0;
    for (size_t i = 0; i < n && right; i++) right = out[i] == (all += host[i]);
    snprintf(what, sizeof what, "scan %s", name);
    say(what, bits(out), right);

    twice([&](void* s, size_t& bytes) { return cub::DeviceReduce::Sum(s, bytes, a, c, int(n)); });
    std::vector<T> one(1);
    thrust::copy(sum.begin(), sum.end(), one.begin());
    snprintf(what, sizeof what, "sum %s", name);
    say(what, bits(one), one[0] == all);

    thrust::copy(in.begin(), in.end(), result.begin());
    twice([&](void* s, size_t& bytes) { return cub::DeviceMergeSort::StableSortKeys(s, bytes, b, int(n), ::cuda::std::greater<T>{}); });
    thrust::copy(result.begin(), result.end(), out.begin());
    std::reverse(sorted.begin(), sorted.end());
    snprintf(what, sizeof what, "merge sort %s", name);
    say(what, bits(out), out == sorted);
}

static void selections() {
    const int n = 100003;
    std::vector<int> host(n);
    for (auto& x : host) x = int(next() % 5);
    thrust::device_vector<int> in(host.begin(), host.end()), values(n), counts(n), runs(1);
    twice([&](void* s, size_t& bytes) {
        return cub::DeviceRunLengthEncode::Encode(s, bytes, in.begin(), values.begin(), counts.begin(), runs.begin(), n);
    });
    int found = runs[0], k = -1;
    std::vector<int> v(found), c(found), wv, wc;
    thrust::copy(values.begin(), values.begin() + found, v.begin());
    thrust::copy(counts.begin(), counts.begin() + found, c.begin());
    for (int x : host) {
        if (x != k) wv.push_back(k = x), wc.push_back(0);
        wc.back()++;
    }
    say("run lengths", bits(v) ^ bits(c), v == wv && c == wc);

    std::vector<float> f(n);
    for (auto& x : f) x = float(next() % 1000) / 1000;
    thrust::device_vector<float> fin(f.begin(), f.end());
    thrust::device_vector<int> histogram(50);
    twice([&](void* s, size_t& bytes) {
        return cub::DeviceHistogram::HistogramEven(s, bytes, thrust::raw_pointer_cast(fin.data()), thrust::raw_pointer_cast(histogram.data()), 51, 0.0f, 1.0f, n);
    });
    std::vector<int> h(50);
    thrust::copy(histogram.begin(), histogram.end(), h.begin());
    int total = 0;
    for (int x : h) total += x;
    say("histogram", bits(h), total == n);

    std::vector<std::pair<uint64_t, short>> pairs(n);
    std::vector<uint64_t> first(n);
    std::vector<short> second(n);
    for (int i = 0; i < n; i++) {
        first[i] = next() % 1000, second[i] = short(i);
        pairs[i] = {first[i], second[i]};
    }
    thrust::device_vector<uint64_t> keys(first.begin(), first.end());
    thrust::device_vector<short> payload(second.begin(), second.end());
    thrust::stable_sort_by_key(keys.begin(), keys.end(), payload.begin());
    std::stable_sort(pairs.begin(), pairs.end(), [](auto& x, auto& y) { return x.first < y.first; });
    std::vector<short> p(n), want(n);
    thrust::copy(payload.begin(), payload.end(), p.begin());
    for (int i = 0; i < n; i++) want[i] = pairs[i].second;
    say("sort by key", bits(p), p == want);
    int different = thrust::unique(keys.begin(), keys.end()) - keys.begin();
    long long product = thrust::inner_product(in.begin(), in.end(), in.begin(), 0ll), exact = 0;
    for (int x : host) exact += 1ll * x * x;
    say("unique, inner product", different * 1000003ull + product, different == 1000 && product == exact);
}

__global__ void groups(const int* in, int* out, int n) {
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int i = grid.thread_rank();
    int x = i < n ? in[i] : 0;
    int sum = cg::reduce(tile, x, cg::plus<int>()), before = cg::exclusive_scan(tile, x);
    auto active = cg::coalesced_threads();
    if (x & 1) {
        auto odd = cg::coalesced_threads();
        before += odd.thread_rank() * 7 + odd.shfl(x, 0);
    }
    auto same = cg::labeled_partition(active, x & 3);
    sum += cg::reduce(same, x, cg::bit_xor<int>());
    out[i] = sum * 31 + before;
    grid.sync();
    int j = (i * 769 + 13) % grid.size();
    int other = out[j];
    grid.sync();
    out[i] = other ^ tile.meta_group_rank();
}

__global__ void pipelines(const float4* in, float* out, int tiles) {
    __shared__ float4 stage[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> shared;
    __shared__ cuda::barrier<cuda::thread_scope_block> meet;
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0) init(&meet, blockDim.x);
    block.sync();
    auto pipe = cuda::make_pipeline(block, &shared);
    float sum = 0;
    for (int t = 0, ahead = 0; t < tiles; t++) {
        for (; ahead < tiles && ahead < t + 2; ahead++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage[ahead & 1], in + (blockIdx.x * tiles + ahead) * 128, cuda::aligned_size_t<16>(sizeof(float4) * 128), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        float4 v = stage[t & 1][(threadIdx.x * 5 + t) & 127];
        sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
        meet.arrive_and_wait();
        pipe.consumer_release();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__device__ cuda::atomic<unsigned long long, cuda::thread_scope_device> total;
__global__ void atomics(double* d, __half* h, __nv_bfloat16* b, unsigned short* s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    total.fetch_add(i * 3 + 1, cuda::memory_order_relaxed);
    atomicAdd(&d[i % 17], double(i & 15));
    atomicAdd(&h[i % 67], __int2half_rn(i & 1));
    atomicAdd(&b[i % 1031], __int2bfloat16_rn(i & 1));
    atomicCAS(&s[i % 300], (unsigned short)0, (unsigned short)(i % 300 + 1));
}

static void threads() {
    int blocks = 64;
    const int n = blocks * 256;
    std::vector<int> host = random_values<int>(n), out(n);
    thrust::device_vector<int> in(host.begin(), host.end()), result(n);
    const int* a = thrust::raw_pointer_cast(in.data());
    int *b = thrust::raw_pointer_cast(result.data()), m = n - 5;
    void* args[] = {&a, &b, &m};
    CHECK(cudaLaunchCooperativeKernel((void*)groups, blocks, 256, args));
    CHECK(cudaDeviceSynchronize());
    thrust::copy(result.begin(), result.end(), out.begin());
    say("cooperative groups", bits(out), true);

    std::vector<float> f = random_values<float>(32 * 9 * 128 * 4), g(32 * 128);
    thrust::device_vector<float> fin(f.begin(), f.end()), fout(g.size());
    pipelines<<<32, 128>>>((const float4*)thrust::raw_pointer_cast(fin.data()), thrust::raw_pointer_cast(fout.data()), 9);
    CHECK(cudaDeviceSynchronize());
    thrust::copy(fout.begin(), fout.end(), g.begin());
    bool right = true;
    for (int i = 0; i < 32 * 128; i++) {
        float sum = 0;
        for (int t = 0; t < 9; t++) {
            const float* v = &f[4 * ((i / 128 * 9 + t) * 128 + ((i % 128 * 5 + t) & 127))];
            sum += v[0] + 2 * v[1] + 3 * v[2] + 4 * v[3];
        }
        right = right && sum == g[i];
    }
    say("pipelines", bits(g), right);

    thrust::device_vector<double> d(17);
    thrust::device_vector<unsigned short> h(67), bf(1031), s(300);
    atomics<<<100, 256>>>(thrust::raw_pointer_cast(d.data()), (__half*)thrust::raw_pointer_cast(h.data()), (__nv_bfloat16*)thrust::raw_pointer_cast(bf.data()), thrust::raw_pointer_cast(s.data()));
    CHECK(cudaDeviceSynchronize());
    std::vector<double> hd(17);
    std::vector<unsigned short> hh(67), hb(1031), hs(300);
    thrust::copy(d.begin(), d.end(), hd.begin());
    thrust::copy(h.begin(), h.end(), hh.begin());
    thrust::copy(bf.begin(), bf.end(), hb.begin());
    thrust::copy(s.begin(), s.end(), hs.begin());
    unsigned long long sum = 0;
    CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
    right = sum == 25600ull * 25599 / 2 * 3 + 25600;
    for (int i = 0; i < 300; i++) right = right && hs[i] == i + 1;
    say("atomics", bits(hd) ^ bits(hh) ^ bits(hb) ^ sum, right);
}

template <class T, class F> __global__ void apply(const T* x, T* y, int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = f(x[i], x[n - 1 - i]);
}

// Compares with the host's library within a tolerance: the two differ in
// their last bits. NaN and infinity have to agree.
template <class T, class F> static void math(const char* name, F f, double tolerance) {
    const int n = 1 << 16;
    std::vector<T> x(n), y(n);
    for (int i = 0; i < n; i++) {
        double m = double(int64_t(next() % 2000001) - 1000000) / 1e6;
        x[i] = T(i % 64 == 0 ? m * 1e-40 : i % 7 == 0 ? m * 500 : m * 8);
    }
    thrust::device_vector<T> in(x.begin(), x.end()), out(n);
    apply<<<n / 256, 256>>>(thrust::raw_pointer_cast(in.data()), thrust::raw_pointer_cast(out.data()), n, f);
    CHECK(cudaDeviceSynchronize());
    thrust::copy(out.begin(), out.end(), y.begin());
    bool right = true;
    for (int i = 0; i < n; i++) {
        double want = f(x[i], x[n - 1 - i]), got = y[i];
        if (want == got || (want != want && got != got)) continue;
        right = right && fabs(want - got) <= tolerance * (fabs(want) + 1e-3);
    }
    for (auto& v : y)
        if (v != v) v = T(NAN);
    say(name, bits(y), right);
}
#define MATH(name, expression)                                                                                     \
    math<double>(name " double", [] __host__ __device__(double x, double y) -> double { return expression; }, 1e-9); \
    math<float>(name " float", [] __host__ __device__(float x, float y) -> float { return expression; }, 2e-3)

int main() {
    setvbuf(stdout, nullptr, _IOLBF, 0);
    algorithms<int>("int", 70001);
    algorithms<double>("double", 50021);
    selections();
    threads();
    MATH("sin", sin(x));
    MATH("cos tan", cos(x) + 0 * tan(y));
    MATH("exp log", exp(x) + log(fabs(y) + 1));
    MATH("pow", pow(fabs(x), y / 64));
    MATH("erf", erf(x) + erfc(y));
    MATH("gamma", lgamma(x));
    MATH("roots", cbrt(x) + sqrt(fabs(y)) + hypot(x, y));
    MATH("arc", atan2(x, y) + asin(x / 501) + acosh(fabs(y) + 1));
    MATH("rest", fmod(x, y) + 0 * remainder(y, x));
    MATH("hyperbolic", sinh(x / 64) + tanh(y) + asinh(x));
    MATH("division", x / y);
    MATH("round", rint(x) + trunc(y) + round(x * 3) + floor(y * 5) + ldexp(x, 3) + fma(x, y, x));
    return 0;
}
