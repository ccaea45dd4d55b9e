"""Numba: kernels in Python. Its PTX goes to the assembler under test instead
of the driver's linker."""
import math
import numpy as np
if not hasattr(np, "row_stack"):  # a name that Numba asks for and newer NumPy dropped
    np.row_stack = np.vstack
from numba import cuda, float32, int32
from numba.cuda import codegen
from assemble import COUNT, assemble, show

inner = codegen.CUDACodeLibrary.get_cubin


def get_cubin(self, cc=None):
    cc = self._ensure_cc(cc)
    cubin = self._cubin_cache.get(cc)
    if cubin:
        return cubin
    if self._linking_files or self.needs_cudadevrt:
        return inner(self, cc)
    data = assemble(self.get_asm_str(cc=cc))
    try:
        from cuda.core import ObjectCode
    except ImportError:
        try:
            from cuda.core.experimental import ObjectCode
        except ImportError:
            ObjectCode = None
    cubin = ObjectCode.from_cubin(data) if ObjectCode else data
    self._cubin_cache[cc] = cubin
    self._linkerinfo_cache[cc] = ""
    return cubin


codegen.CUDACodeLibrary.get_cubin = get_cubin


@cuda.jit(device=True)
def clamp(x, lo, hi):
    return min(max(x, lo), hi)


@cuda.jit
def matmul(a, b, c):
    sa = cuda.shared.array((16, 16), float32)
    sb = cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    s = float32(0.0)
    for k in range(a.shape[1] // 16):
        sa[tx, ty] = a[x, ty + k * 16]
        sb[tx, ty] = b[tx + k * 16, y]
        cuda.syncthreads()
        for j in range(16):
            s += sa[tx, j] * sb[j, ty]
        cuda.syncthreads()
    c[x, y] = clamp(s, float32(-50.0), float32(50.0))


@cuda.jit
def histogram(x, h):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(h, x[i] % h.size, 1)


@cuda.jit
def walk(out, steps):
    i = cuda.grid(1)
    state = np.uint64(i * 2654435761 + 1)
    p = 0.0
    for k in range(steps):
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        p += math.sin(float(state >> np.uint64(40)) * 1e-6) * math.exp(-k * 0.01)
    out[i] = p


@cuda.jit
def sieve(flags):
    i = cuda.grid(1) + 2
    if i < flags.size:
        prime = 1
        k = 2
        while k * k <= i:
            if i % k == 0:
                prime = 0
                break
            k += 1
        flags[i] = prime


@cuda.jit
def warpsum(x, o):
    i = cuda.grid(1)
    v = x[i]
    for d in (16, 8, 4, 2, 1):
        v += cuda.shfl_down_sync(0xffffffff, v, d)
    if cuda.laneid == 0:
        o[i // 32] = v


@cuda.jit
def local(o):
    buf = cuda.local.array(8, int32)
    i = cuda.grid(1)
    for k in range(8):
        buf[(i + k) % 8] = i * k
    o[i] = buf[i % 8] + buf[(i * 3) % 8]


rng = np.random.default_rng(5)
a, b = rng.standard_normal((64, 96), np.float32), rng.standard_normal((96, 80), np.float32)
c = cuda.device_array((64, 80), np.float32)
matmul[(4, 5), (16, 16)](a, b, c)
show("matmul", c.copy_to_host())
h = np.zeros(17, np.int32)
x = rng.integers(0, 1000, 5000).astype(np.int32)
histogram[40, 128](x, h)
show("histogram", h)
o = np.zeros(256)
walk[2, 128](o, 50)
show("walk", o)
s = np.zeros(4000, np.int8)
sieve[32, 128](s)
show("sieve", s)
f, w = rng.standard_normal(512, np.float32), np.zeros(16, np.float32)
warpsum[4, 128](f, w)
show("warpsum", w)
l = np.zeros(64, np.int32)
local[1, 64](l)
show("local", l)
print("assembled", COUNT[0] >= 6)
