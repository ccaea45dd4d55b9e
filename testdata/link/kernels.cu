#include "common.h"
extern __device__ u32 many(u32,u64,u32,u64,u32,u64,u32,u64,u32,u64,u32,u64,u32);
extern __device__ double mix(char,short,int,long long,float,double,unsigned char,u64,float,double,short,int,double);
extern __device__ P12 ret12(P12,int);
extern __device__ P24 ret24(P24,P12,float);
extern __device__ P48 ret48(int,P48);
extern __device__ P52 ret52(P52,int,u64);
extern __device__ Big retbig(u32,Big,Q,u32);
extern __device__ Q retq(Q,int,Q);
extern __device__ C3 ret3(C3,C3,int);
extern __device__ u32 fib(u32);
extern __device__ u32 even(u32);
__device__ u32 odd(u32 n) { return n == 0 ? 0 : even(n - 1); }
extern __device__ fn table[4];
extern __device__ fn choose(u32);
extern __device__ u32 apply(fn f, u32 a, u32 b);
extern __device__ u32 heavy(u32, const u32*);
extern __device__ u32 blocksum(u32);
extern __constant__ u32 coef[16];
extern __device__ u32 counter;
__device__ u32 own[4] = {11, 22, 33, 44};
__device__ u32 *where = &own[2];
extern __shared__ u32 dyn[];
extern __device__ u32 dynput(u32 i, u32 v);
extern __device__ u32 dynget(u32 i);
__device__ u32 callme(u32 a, u32 b) { return a * 5 + b; }

extern "C" __global__ void args(u32 *o, u32 n) {
  u32 t = threadIdx.x + n;
  o[t - n] = many(t, t * 3ull, t + 1, t * 5ull, t + 2, t * 7ull, t + 3, t * 11ull, t + 4, t * 13ull, t + 5, t * 17ull, t + 6);
  double d = mix(-t, t * 77, t, t * 1000003ll, t * 0.5f, t * 0.25, t + 200, ~0ull - t, 1.5f, 2.5, -3, -4, 8.0);
  ((double *)o)[64 + threadIdx.x] = d;
}
extern "C" __global__ void structs(u32 *o, u32 n) {
  u32 t = threadIdx.x, r = n;
  P12 p = {(int)t, (int)(t + 1), (int)n}; p = ret12(p, 3); r = r * 31 + p.a; r = r * 31 + p.b; r = r * 31 + p.c;
  P24 q = {t * 0.5, (int)t, (short)(t * 9), (char)t}; q = ret24(q, p, 1.25f); r = r * 31 + (u32)(q.x * 8); r = r * 31 + q.k; r = r * 31 + q.s; r = r * 31 + q.c;
  P48 a; for (int i = 0; i < 12; i++) a.v[i] = i * t + n; a = ret48(t, a); for (int i = 0; i < 12; i++) r = r * 31 + a.v[i];
  P52 b; for (int i = 0; i < 13; i++) b.v[i] = i + t; b = ret52(b, t, 1ull << t); for (int i = 0; i < 13; i++) r = r * 31 + b.v[i];
  Big g; for (int i = 0; i < 9; i++) g.d[i] = i * 0.5 + t; g.t = t; Q u; for (int i = 0; i < 8; i++) u.w[i] = i ^ t;
  g = retbig(n, g, u, t); for (int i = 0; i < 9; i++) r = r * 31 + (u32)(g.d[i] * 4); r = r * 31 + g.t;
  u = retq(u, t, u); for (int i = 0; i < 8; i++) r = r * 31 + u.w[i];
  C3 c = {{(unsigned char)t, 2, 3}}; c = ret3(c, c, t); r = r * 31 + c.c[0]; r = r * 31 + c.c[1]; r = r * 31 + c.c[2];
  o[t] = r;
}
extern "C" __global__ void recurse(u32 *o, u32 n) { u32 t = threadIdx.x; o[t] = fib(t % 9) * 1000 + odd(t + n) * 2 + even(t + n); }
extern "C" __global__ void pointers(u32 *o, u32 n) {
  u32 t = threadIdx.x;
  u32 r = table[t & 3](t, n) + choose(t)(n, t) * 3;
  r = r * 7 + apply(callme, r, t);
  if (t & 4) r = r * 3 + apply(choose(t + 1), t, r);
  o[t] = r;
}
extern "C" __global__ void saved(u32 *o, u32 n, const u32 *in) {
  u32 t = threadIdx.x; u32 v[40]; bool p = in[t] & 1, q = in[t] & 2;
#pragma unroll
  for (int i = 0; i < 40; i++) v[i] = in[(t + i) & 63] * (i + 1);
  u32 r = heavy(t, in);
  if (q) r += heavy(t + n, in + 1);
#pragma unroll
  for (int i = 0; i < 40; i++) r = r * 3 + v[i];
  if (p) r ^= 0x5555; if (q) r += 17;
  o[t] = r;
}
extern "C" __global__ void memory(u32 *o, u32 n) {
  u32 t = threadIdx.x;
  __shared__ u64 mine[64];
  mine[t] = t * 3 + n; dynput(t, t * 9);
  __syncthreads();
  u32 r = (u32)mine[63 - t] + dynget(63 - t) + coef[t & 15] + coef[5] + *where + own[t & 3];
  r += blocksum(t + n);
  atomicAdd(&counter, 1);
  __syncthreads();
  if (t == 0) o[64] = counter;
  o[t] = r;
}
