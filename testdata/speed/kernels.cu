// The kernels of the speed table: memory-bound, ALU-bound and in between,
// large enough that a launch takes tens of microseconds and more.
// kernels.ptx is made from this file by gen.sh, which keeps the lines that
// begin with "//:" as the launch descriptions.
#include <cuda_fp16.h>
#include <cstdint>

#define K extern "C" __global__ void
#define GID (blockIdx.x * blockDim.x + threadIdx.x)

//: run copy_v4 grid=8192 block=256
//: buf 33554432 f32 1
//: buf 33554432 zero
K copy_v4(const float4 *__restrict__ a, float4 *__restrict__ b) {
  b[GID] = a[GID];
}

//: run saxpy_loop grid=1056 block=256
//: buf 33554432 f32 1
//: buf 33554432 f32 2
//: f32 1.5
//: u32 8388608
K saxpy_loop(const float *a, float *b, float s, unsigned n) {
  for (unsigned i = GID; i < n; i += gridDim.x * blockDim.x) b[i] = s * a[i] + b[i];
}

//: run triad_f64 grid=8192 block=256
//: buf 16777216 f64 1
//: buf 16777216 f64 2
//: buf 16777216 zero
//: f64 0.75
K triad_f64(const double *__restrict__ a, const double *__restrict__ b, double *__restrict__ c, double s) {
  unsigned i = GID;
  if (i < 2097152) c[i] = a[i] + s * b[i];
}

//: run gather grid=4096 block=256
//: buf 4194304 bits 1
//: buf 4194304 f32 2
//: buf 4194304 zero
K gather(const uint32_t *__restrict__ idx, const float *__restrict__ t, float *__restrict__ out) {
  unsigned i = GID;
  out[i] = t[idx[i] & 1048575];
}

//: run transpose grid=64,64 block=32,8
//: buf 16777216 f32 1
//: buf 16777216 zero
//: u32 2048
K transpose(const float *__restrict__ a, float *__restrict__ b, unsigned n) {
  __shared__ float t[32][33];
  unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) b[(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j];
}

//: run stencil2d grid=64,256 block=32,8
//: buf 16777216 f32 1
//: buf 16777216 zero
//: u32 2048
K stencil2d(const float *__restrict__ a, float *__restrict__ b, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
    b[y * n + x] = 0.5f * a[y * n + x] + 0.125f * (a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] + a[(y + 1) * n + x]);
}

//: run stencil3d grid=4,32,16 block=32,4,1
//: buf 8388608 f32 1
//: buf 8388608 zero
//: u32 128
K stencil3d(const float *__restrict__ a, float *__restrict__ b, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z0 = blockIdx.z * 8;
  for (int z = z0; z < z0 + 8; z++) {
    int i = (z * n + y) * n + x;
    float c = a[i];
    float s = (x > 0 ? a[i - 1] : c) + (x < n - 1 ? a[i + 1] : c) + (y > 0 ? a[i - n] : c) + (y < n - 1 ? a[i + n] : c) +
              (z > 0 ? a[i - n * n] : c) + (z < n - 1 ? a[i + n * n] : c);
    b[i] = c + 0.1f * (s - 6.0f * c);
  }
}

//: run reduce_sum grid=528 block=256
//: buf 33554432 small 1
//: buf 4096 zero
//: u32 8388608
K reduce_sum(const int *__restrict__ a, int *out, unsigned n) {
  __shared__ int part[8];
  int s = 0;
  for (unsigned i = GID; i < n; i += gridDim.x * blockDim.x) s += a[i];
  for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 8) {
    s = part[threadIdx.x];
    for (int d = 4; d; d >>= 1) s += __shfl_down_sync(0xff, s, d);
    if (threadIdx.x == 0) atomicAdd(out, s);
  }
}

__device__ __forceinline__ float wide_sum(float v, float *part) {
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = part[threadIdx.x % 8];
  for (int d = 4; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  __syncthreads();
  return v;
}

//: run softmax grid=4096 block=256
//: buf 16777216 f32 1
//: buf 16777216 zero
K softmax(const float4 *__restrict__ a, float4 *__restrict__ b) {
  __shared__ float part[8];
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  float4 v = a[i];
  float m = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
  for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = m;
  __syncthreads();
  m = part[threadIdx.x % 8];
  for (int d = 4; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
  __syncthreads();
  v.x = exp2f((v.x - m) * 1.4426950f), v.y = exp2f((v.y - m) * 1.4426950f);
  v.z = exp2f((v.z - m) * 1.4426950f), v.w = exp2f((v.w - m) * 1.4426950f);
  float s = 1.0f / wide_sum(v.x + v.y + v.z + v.w, part);
  v.x *= s, v.y *= s, v.z *= s, v.w *= s;
  b[i] = v;
}

//: run layernorm grid=4096 block=256
//: buf 16777216 f32 1
//: buf 4096 f32 2
//: buf 4096 f32 3
//: buf 16777216 zero
K layernorm(const float4 *__restrict__ a, const float4 *__restrict__ w, const float4 *__restrict__ bias, float4 *__restrict__ out) {
  __shared__ float part[8];
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  float4 v = a[i], g = w[threadIdx.x], o = bias[threadIdx.x];
  float mean = wide_sum(v.x + v.y + v.z + v.w, part) * (1.0f / 1024);
  v.x -= mean, v.y -= mean, v.z -= mean, v.w -= mean;
  float r = rsqrtf(wide_sum(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w, part) * (1.0f / 1024) + 1e-5f);
  v.x = v.x * r * g.x + o.x, v.y = v.y * r * g.y + o.y, v.z = v.z * r * g.z + o.z, v.w = v.w * r * g.w + o.w;
  out[i] = v;
}

//: run gelu_half grid=8192 block=256
//: buf 8388608 f16 1
//: buf 8388608 zero
K gelu_half(const __half2 *__restrict__ a, __half2 *__restrict__ b) {
  float2 x = __half22float2(a[GID]);
  x.x = 0.5f * x.x * (1.0f + tanhf(0.79788456f * (x.x + 0.044715f * x.x * x.x * x.x)));
  x.y = 0.5f * x.y * (1.0f + tanhf(0.79788456f * (x.y + 0.044715f * x.y * x.y * x.y)));
  b[GID] = __float22half2_rn(x);
}

//: run histogram grid=264 block=256
//: buf 8388608 bits 1
//: buf 1024 zero
//: u32 2097152
K histogram(const uint32_t *__restrict__ a, unsigned *out, unsigned n) {
  __shared__ unsigned h[256];
  h[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = GID; i < n; i += gridDim.x * blockDim.x) {
    uint32_t v = a[i];
    for (int k = 0; k < 4; k++, v >>= 8) atomicAdd(&h[v & 255], 1);
  }
  __syncthreads();
  atomicAdd(&out[threadIdx.x], h[threadIdx.x]);
}

//: run sgemm grid=16,16 block=256
//: buf 4194304 f32 1
//: buf 4194304 f32 2
//: buf 4194304 zero
//: u32 1024
K sgemm(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  __shared__ float ta[16][64], tb[16][64];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row = blockIdx.y * 64, col = blockIdx.x * 64;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int i = threadIdx.x; i < 1024; i += 256) {
      ta[i % 16][i / 16] = a[(row + i / 16) * n + k0 + i % 16];
      tb[i / 64][i % 64] = b[(k0 + i / 64) * n + col + i % 64];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++) {
      float x[4], y[4];
      for (int i = 0; i < 4; i++) x[i] = ta[k][ty * 4 + i], y[i] = tb[k][tx * 4 + i];
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) acc[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) c[(row + ty * 4 + i) * n + col + tx * 4 + j] = acc[i][j];
}

//: run nbody grid=64 block=256
//: buf 262144 f32 1
//: buf 262144 zero
//: u32 16384
K nbody(const float4 *__restrict__ p, float4 *__restrict__ out, int n) {
  __shared__ float4 t[256];
  float4 me = p[GID];
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; j += 256) {
    t[threadIdx.x] = p[j + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 256; k++) {
      float dx = t[k].x - me.x, dy = t[k].y - me.y, dz = t[k].z - me.z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float f = t[k].w * r * r * r;
      ax += dx * f, ay += dy * f, az += dz * f;
    }
    __syncthreads();
  }
  out[GID] = make_float4(ax, ay, az, 0);
}

//: run mandelbrot grid=64,128 block=32,8
//: buf 8388608 zero
//: u32 256
K mandelbrot(int *out, int most) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float cr = x * (3.0f / 2048) - 2.0f, ci = y * (2.0f / 1024) - 1.0f, r = 0, i = 0;
  int k = 0;
  while (k < most && r * r + i * i < 4.0f) {
    float t = r * r - i * i + cr;
    i = 2.0f * r * i + ci;
    r = t, k++;
  }
  out[y * 2048 + x] = k;
}

__device__ __forceinline__ float cnd(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float c = 0.39894228f * __expf(-0.5f * d * d) * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - c : c;
}

//: run black_scholes grid=4096 block=256
//: buf 4194304 f32 1
//: buf 4194304 f32 2
//: buf 4194304 f32 3
//: buf 4194304 zero
//: buf 4194304 zero
K black_scholes(const float *__restrict__ s, const float *__restrict__ x, const float *__restrict__ t, float *__restrict__ call, float *__restrict__ put) {
  unsigned i = GID;
  float S = fabsf(s[i]) + 1.0f, X = fabsf(x[i]) + 1.0f, T = fabsf(t[i]) + 0.25f, q = sqrtf(T);
  float d1 = (__logf(S / X) + (0.02f + 0.5f * 0.09f) * T) / (0.3f * q), d2 = d1 - 0.3f * q;
  float n1 = cnd(d1), n2 = cnd(d2), e = X * __expf(-0.02f * T);
  call[i] = S * n1 - e * n2;
  put[i] = e * (1.0f - n2) - S * (1.0f - n1);
}

//: run xorshift grid=1056 block=256
//: buf 2162688 zero
//: u32 256
K xorshift(uint64_t *out, int n) {
  uint64_t s = GID * 0x9E3779B97F4A7C15ull + 1, sum = 0;
  for (int k = 0; k < n; k++) {
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    sum += s * 0x2545F4914F6CDD1Dull;
  }
  out[GID] = sum;
}

__device__ __forceinline__ uint32_t rotr(uint32_t x, int n) { return __funnelshift_r(x, x, n); }

//: run hash_rounds grid=528 block=256
//: buf 540672 zero
//: u32 16
K hash_rounds(uint32_t *out, int n) {
  uint32_t w[16], a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a, e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
  for (int k = 0; k < 16; k++) w[k] = GID * (2 * k + 1);
  for (int j = 0; j < n; j++)
#pragma unroll
    for (int k = 0; k < 16; k++) {
      uint32_t t = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + w[k] + 0x428a2f98u;
      uint32_t u = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t, d = c, c = b, b = a, a = t + u;
      uint32_t x = w[(k + 1) & 15], y = w[(k + 14) & 15];
      w[k] += (rotr(x, 7) ^ rotr(x, 18) ^ (x >> 3)) + w[(k + 9) & 15] + (rotr(y, 17) ^ rotr(y, 19) ^ (y >> 10));
    }
  out[GID] = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

//: run modular grid=1056 block=256
//: buf 2162688 zero
//: u64 1000000007
//: u32 64
K modular(uint64_t *out, uint64_t m, int n) {
  uint64_t x = GID + 2, r = 1;
  for (int k = 0; k < n; k++) {
    r = r * x % m;
    x = x * x % m;
  }
  out[GID] = r;
}

//: run spmv grid=2048 block=256
//: buf 8388608 bits 1
//: buf 8388608 f32 2
//: buf 262144 f32 3
//: buf 262144 zero
K spmv(const uint32_t *__restrict__ col, const float *__restrict__ val, const float *__restrict__ x, float *__restrict__ y) {
  unsigned row = GID / 8, lane = GID % 8;
  float s = 0;
  unsigned len = 16 + (row & 15);
  for (unsigned k = lane; k < len; k += 8) s += val[row * 32 + k] * x[col[row * 32 + k] & 65535];
  for (int d = 4; d; d >>= 1) s += __shfl_down_sync(~0u, s, d, 8);
  if (lane == 0) y[row] = s;
}

//: run scan_block grid=4096 block=256
//: buf 4194304 small 1
//: buf 4194304 zero
K scan_block(const int *__restrict__ a, int *__restrict__ b) {
  __shared__ int part[8];
  int v = a[GID], lane = threadIdx.x % 32, w = threadIdx.x / 32;
  for (int d = 1; d < 32; d <<= 1) {
    int t = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += t;
  }
  if (lane == 31) part[w] = v;
  __syncthreads();
  if (w == 0) {
    int p = lane < 8 ? part[lane] : 0;
    for (int d = 1; d < 8; d <<= 1) {
      int t = __shfl_up_sync(~0u, p, d);
      if (lane >= d) p += t;
    }
    if (lane < 8) part[lane] = p;
  }
  __syncthreads();
  b[GID] = v + (w ? part[w - 1] : 0);
}

//: run bitonic grid=1024 block=512
//: buf 4194304 bits 1
K bitonic(uint32_t *a) {
  __shared__ uint32_t t[1024];
  unsigned base = blockIdx.x * 1024, i = threadIdx.x;
  t[i] = a[base + i], t[i + 512] = a[base + i + 512];
  for (unsigned k = 2; k <= 1024; k <<= 1)
    for (unsigned j = k >> 1; j; j >>= 1) {
      __syncthreads();
      unsigned lo = 2 * i - (i & (j - 1)), hi = lo + j;
      uint32_t x = t[lo], y = t[hi];
      if ((x > y) == ((lo & k) == 0)) t[lo] = y, t[hi] = x;
    }
  __syncthreads();
  a[base + i] = t[i], a[base + i + 512] = t[i + 512];
}

//: run poly_f64 grid=2112 block=256
//: buf 4325376 f64 1
//: buf 4325376 zero
//: u32 32
K poly_f64(const double *__restrict__ a, double *__restrict__ b, int n) {
  double x = a[GID], s = 0;
  for (int k = 0; k < n; k++) {
    double p = 1.0 / 5040;
    p = p * x + 1.0 / 720, p = p * x + 1.0 / 120, p = p * x + 1.0 / 24, p = p * x + 1.0 / 6, p = p * x + 0.5, p = p * x + 1, p = p * x + 1;
    s += p;
    x = x * 0.5 + 1e-3;
  }
  b[GID] = s;
}

//: run conv1d grid=4096 block=256
//: buf 4194432 f32 1
//: buf 128 f32 2
//: buf 4194304 zero
K conv1d(const float *__restrict__ a, const float *__restrict__ w, float *__restrict__ b) {
  __shared__ float t[256 + 32];
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  t[threadIdx.x] = a[i];
  if (threadIdx.x < 32) t[256 + threadIdx.x] = a[i + 256];
  __syncthreads();
  float s = 0;
#pragma unroll
  for (int k = 0; k < 32; k++) s += w[k] * t[threadIdx.x + k];
  b[i] = s;
}
