#include "common.h"
extern __device__ u32 odd(u32);
extern __device__ u32 callme(u32, u32);
extern __device__ u32 third(u32, u32);
extern __device__ u32 leafsum(const u32 *, u32);
__device__ u32 many(u32 a,u64 b,u32 c,u64 d,u32 e,u64 f,u32 g,u64 h,u32 i,u64 j,u32 k,u64 l,u32 m) {
  u64 s = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l + 13 * m; return (u32)(s ^ (s >> 32)); }
__device__ double mix(char a, short b, int c, long long d, float e, double f, unsigned char g, u64 h, float i, double j, short k, int l, double m) {
  return a + 2.0 * b + 3.0 * c + 4.0 * d + 5.0 * e + 6.0 * f + 7.0 * g + (double)(h & 255) + i + j + k + l * m; }
__device__ P12 ret12(P12 p, int k) { P12 r = {p.c * k, p.a - k, p.b ^ k}; return r; }
__device__ P24 ret24(P24 q, P12 p, float f) { P24 r = {q.x * f + p.a, q.k - p.b, (short)(q.s + p.c), (char)(q.c ^ 5)}; return r; }
__device__ P48 ret48(int k, P48 a) { P48 r; for (int i = 0; i < 12; i++) r.v[i] = a.v[11 - i] + k * i; return r; }
__device__ P52 ret52(P52 a, int k, u64 m) { P52 r; for (int i = 0; i < 13; i++) r.v[i] = a.v[(i + 1) % 13] * k + (int)m; return r; }
__device__ Big retbig(u32 n, Big g, Q u, u32 t) { Big r; for (int i = 0; i < 9; i++) r.d[i] = g.d[8 - i] + u.w[i & 7] * n; r.t = g.t * t + third(n, t); return r; }
__device__ Q retq(Q a, int k, Q b) { Q r; for (int i = 0; i < 8; i++) r.w[i] = a.w[i] * k + b.w[7 - i]; return r; }
__device__ C3 ret3(C3 a, C3 b, int k) { C3 r; r.c[0] = a.c[2] + k; r.c[1] = b.c[0] * 3; r.c[2] = a.c[1] - b.c[1] + 7; return r; }
__device__ u32 fib(u32 n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ u32 even(u32 n) { return n == 0 ? 1 : odd(n - 1); }
__device__ u32 f0(u32 a, u32 b) { return a + b; }
__device__ u32 f1(u32 a, u32 b) { return a * b + 1; }
__device__ u32 f2(u32 a, u32 b) { return a ^ (b << 3); }
__device__ fn table[4] = {f0, callme, f2, third};
__device__ fn choose(u32 i) { switch (i % 5) { case 0: return f1; case 1: return third; case 2: return f2; case 3: return callme; default: return f0; } }
__device__ u32 apply(fn f, u32 a, u32 b) { return f(a, b) + f(b, a); }
__device__ u32 heavy(u32 t, const u32 *in) {
  u32 v[48];
#pragma unroll
  for (int i = 0; i < 48; i++) v[i] = in[(t + i * 3) & 63] ^ i;
  u32 r = leafsum(in, t & 7);
#pragma unroll
  for (int i = 0; i < 48; i++) r = (r << 1) + v[i] * v[(i + 7) % 48];
  if (t & 1) r += third(r, v[5]);
#pragma unroll
  for (int i = 0; i < 48; i++) r ^= v[i] + i;
  return r;
}
__constant__ u32 coef[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__device__ u32 counter = 1000;
extern __shared__ u32 dyn[];
__device__ u32 dynget(u32 i) { return dyn[i]; }
