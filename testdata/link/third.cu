#include "common.h"
extern __shared__ u32 dyn[];
__device__ u32 third(u32 a, u32 b) { u32 s = 0; for (u32 i = 0; i < (a & 3) + 1; i++) s += b >> i; return s + a * 11; }
__device__ u32 leafsum(const u32 *p, u32 n) {
  __align__(16) u32 buf[16];
  for (u32 i = 0; i < 16; i++) buf[(i * 5 + n) & 15] = p[i];
  uint4 q = *(uint4 *)(buf + (n & 3) * 4);
  return q.x + q.y * 3 + q.z * 5 + q.w * 7 + buf[n & 15];
}
__device__ u32 dynput(u32 i, u32 v) { return dyn[i] = v; }
__device__ u32 blocksum(u32 v) {
  __shared__ u32 part[64];
  u32 t = threadIdx.x; part[t] = v; __syncthreads();
  for (u32 s = 32; s > 0; s >>= 1) { if (t < s) part[t] += part[t + s]; __syncthreads(); }
  return part[0];
}
