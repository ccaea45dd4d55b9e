#include "common.h"

__constant__ float weights[32] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
__device__ u32 visits = 7;

__device__ Body step(Body b, const double *force, double dt, int n) {
    for (int i = 0; i < 3; i++) {
        double f = 0;
        for (int k = 0; k < n; k++) f += force[k * 3 + i];
        b.vel[i] += f / b.mass * dt;
        b.pos[i] += b.vel[i] * dt;
    }
    b.id = b.id * 2 + 1;
    return b;
}
__device__ Pair order(Pair p) {
    Pair r = {min(p.lo, p.hi), max(p.lo, p.hi)};
    return r;
}
__device__ u32 ackermann(u32 m, u32 n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}
__device__ static float square(float x, float k) { return x * x * k; }
__device__ static float sine(float x, float k) { return sinf(x) * k; }
__device__ static float root(float x, float k) { return sqrtf(fabsf(x)) + k; }
__device__ static float poly(float x, float k) { return polynomial(x, (int)k); }
__device__ Shape shapes[4] = {square, sine, root, poly};
__device__ Shape pick(u32 i) {
    atomicAdd(&visits, 1);
    switch (i % 3) {
    case 0: return square;
    case 1: return root;
    default: return sine;
    }
}
__device__ float integrate(Shape f, float a, float b, int n) {
    float s = 0, h = (b - a) / n;
    for (int i = 0; i < n; i++) s += f(a + (i + 0.5f) * h, 2.0f) * h;
    return s;
}
