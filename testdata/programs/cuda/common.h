// Shared declarations of a program in several files: separate compilation
// (-rdc=true) makes every call below one between objects.
#pragma once
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>

typedef unsigned u32;
typedef unsigned long long u64;

struct Body {
    double pos[3], vel[3];
    float mass;
    int id;
};
struct Pair {
    u32 lo, hi;
};
typedef float (*Shape)(float, float);

#ifndef WHOLE
extern __constant__ float weights[32];
extern __device__ u32 visits;
extern __device__ Shape shapes[4];
#endif

__device__ Body step(Body b, const double *force, double dt, int n);
__device__ Pair order(Pair p);
__device__ u32 ackermann(u32 m, u32 n);
__device__ Shape pick(u32 i);
__device__ float integrate(Shape f, float a, float b, int n);
__device__ float blockSum(float v);
__device__ u32 *collatz(u32 start, u32 *count);
__device__ void report(const char *what, int a, double b, const char *text);
__device__ float sample(cudaTextureObject_t t, float x, float y);

template <class T> __device__ __noinline__ T polynomial(T x, int degree) { // weak in every object that uses it
    T r = 0;
    for (int i = degree; i >= 0; i--) r = r * x + T(i + 1);
    return r;
}
