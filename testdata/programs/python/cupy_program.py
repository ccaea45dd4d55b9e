"""CuPy: raw kernels, elementwise kernels, reductions, and a module from a cubin.

CuPy lets NVRTC make machine code; asked for PTX instead, what the assembler
under test makes of it is loaded in its place."""
import os
os.environ["CUPY_COMPILE_WITH_PTX"] = "1"
os.environ["CUPY_CACHE_IN_MEMORY"] = "1"
import cupy as cp
from cupy.cuda import compiler
from assemble import COUNT, assemble, show

name = "_compile_using_nvrtc_no_warning"
if not hasattr(compiler, name):
    name = "compile_using_nvrtc"
inner = getattr(compiler, name)


def compile_using_nvrtc(*args, **kw):
    r = inner(*args, **kw)
    code, rest = (r[0], r[1:]) if isinstance(r, tuple) else (r, None)
    data = code.encode() if isinstance(code, str) else bytes(code)
    if b".version" not in data[:2000]:
        return r
    cubin = assemble(data)
    return cubin if rest is None else (cubin, *rest)


setattr(compiler, name, compile_using_nvrtc)

SOURCE = r'''
extern "C" __global__ void saxpy(float a, const float* x, const float* y, float* o, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) o[i] = a * x[i] + y[i];
}
extern "C" __global__ void mandelbrot(int* o, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  double cr = -2.0 + 3.0 * x / w, ci = -1.5 + 3.0 * y / h, zr = 0, zi = 0; int n = 0;
  while (n < 200 && zr * zr + zi * zi < 4) { double t = zr * zr - zi * zi + cr; zi = 2 * zr * zi + ci; zr = t; n++; }
  o[y * w + x] = n;
}
extern "C" __global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}
'''
n = 10000
x = cp.arange(n, dtype=cp.float32) * cp.float32(0.01)
y = cp.cos(x)
out = cp.zeros(n, cp.float32)
cp.RawKernel(SOURCE, "saxpy")((20,), (128,), (cp.float32(2.5), x, y, out, cp.int32(n)))
show("saxpy", out.get())
m = cp.RawModule(code=SOURCE)
image = cp.zeros((96, 128), cp.int32)
m.get_function("mandelbrot")((8, 12), (16, 8), (image, cp.int32(128), cp.int32(96)))
show("mandelbrot", image.get())
a = cp.arange(128 * 128, dtype=cp.float32).reshape(128, 128)
b = cp.zeros_like(a)
m.get_function("transpose")((4, 4), (32, 8), (a, b, cp.int32(128)))
show("transpose", b.get())
f = cp.ElementwiseKernel("float64 x, float64 y", "float64 z", "z = exp(-x * x) * sin(y) + x / (1 + y * y)", "wave")
show("elementwise", f(cp.linspace(-3, 3, 999), cp.linspace(0, 9, 999)).get())
g = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm2")
show("reduction", g(cp.arange(4096, dtype=cp.float32).reshape(64, 64), axis=1).get())
i = (cp.arange(5000, dtype=cp.int64) * 7919) % 10007
show("sort", cp.sort(i).get())
show("cumsum", cp.cumsum(i).get())
show("where", cp.where(i % 3 == 0, i // 3, -i).get())
show("argmax", cp.argmax(cp.sin(cp.arange(777.0))).get())
show("complex", cp.abs(cp.exp(1j * cp.linspace(0, 6, 321))).get())
show("matrix", (a[:32, :32] @ cp.ones((32, 8), cp.float32)).get())
print("assembled", COUNT[0] > 5)
