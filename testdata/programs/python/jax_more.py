"""JAX programs of many kinds, each with its results saved: jax_more.py OUT.npz.

Nothing here depends on the order of atomic additions of floats.
"""
import os
import sys
import traceback

import numpy as np
import jax
import jax.numpy as jnp
from jax import lax

jax.config.update("jax_enable_x64", True)
rng = None
RESULTS = {}
PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


def normal(*shape, dtype=np.float32):
    return jnp.asarray(rng.standard_normal(shape).astype(dtype))


@program
def elementwise():
    x = normal(4001) * 3
    fs = [jnp.sin, jnp.cos, jnp.tan, jnp.exp, jnp.expm1, jnp.tanh, jnp.sinh, jnp.arctan, jax.scipy.special.erf, jax.scipy.special.erfinv,
          jax.scipy.special.gammaln, jax.scipy.special.digamma, jax.scipy.special.i0e, jnp.cbrt, jnp.floor, jnp.rint, jnp.sign]
    return jax.jit(lambda v: [f(v) for f in fs])(x) + jax.jit(lambda v: [f(v) for f in fs])(x.astype(jnp.float64)) + \
        jax.jit(lambda v: [jnp.log(v), jnp.log1p(v), jnp.sqrt(v), lax.rsqrt(v), jnp.power(v, 1.7), jnp.arctan2(v, v - 1)])(jnp.abs(x) + 0.1)


@program
def small_floats():
    x = normal(3000)
    types = [jnp.float16, jnp.bfloat16, jnp.float8_e4m3fn, jnp.float8_e5m2]
    return jax.jit(lambda v: [(v.astype(t) * v.astype(t)).astype(jnp.float32) if t in types[:2] else v.astype(t).astype(jnp.float32) for t in types])(x)


@program
def integers():
    a, b = jnp.asarray(rng.integers(-2**31, 2**31, 3000), jnp.int32), jnp.asarray(rng.integers(1, 999, 3000), jnp.int32)
    u = a.astype(jnp.uint32)
    f = lambda a, b, u: [a // b, a % b, a << (b % 40), lax.shift_right_logical(a, b % 31), lax.population_count(u), lax.clz(u), u // b.astype(jnp.uint32),
                         a.astype(jnp.int64) * b, (a.astype(jnp.int64) << 20) // b, a.astype(jnp.int8) + b.astype(jnp.int8), a.astype(jnp.int16) * b.astype(jnp.int16)]
    return jax.jit(f)(a, b, u)


@program
def reductions():
    x = normal(129, 257)
    return jax.jit(lambda v: [v.sum(), v.sum(0), v.sum(1), v.max(0), v.argmin(1), v.argmax(), v.prod(1), v.std(0), jax.nn.logsumexp(v, 1), (v > 0).any(0), (v > -9).all(), jnp.median(v, 1)])(x)


@program
def transposes():
    x = normal(33, 65, 17)
    return jax.jit(lambda v: [v.transpose(2, 0, 1) + 1, v.transpose(1, 0, 2).sum(0), jnp.flip(v, 1), jnp.roll(v, 5, 2), jnp.pad(v, ((1, 2), (0, 3), (4, 0))), v.reshape(-1, 11)[:, ::2]])(x)


@program
def matrices():
    a, b = normal(130, 200), normal(200, 70)
    h, g = a.astype(jnp.bfloat16), b.astype(jnp.bfloat16)
    return jax.jit(lambda a, b, h, g: [a @ b, jax.nn.relu(a @ b) + 1, (h @ g).astype(jnp.float32), jnp.einsum("ij,kj->ik", a, a), a.astype(jnp.float64) @ b.astype(jnp.float64)])(a, b, h, g)


@program
def attention():
    q, k, v = (normal(2, 4, 64, 32).astype(jnp.float16) for _ in range(3))

    def f(q, k, v):
        s = jnp.einsum("bhqd,bhkd->bhqk", q, k).astype(jnp.float32) * 0.2
        s = jnp.where(jnp.tril(jnp.ones((64, 64), bool)), s, -1e9)
        return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s).astype(jnp.float16), v).astype(jnp.float32)
    g = jax.jit(jax.grad(lambda *a: f(*a).sum(), argnums=(0, 1, 2)))(q, k, v)
    return [jax.jit(f)(q, k, v)] + [x.astype(jnp.float32) for x in g]


@program
def convolution():
    x, w = normal(2, 8, 20, 20), normal(12, 8, 3, 3)
    f = lambda x, w: lax.reduce_window(jax.nn.gelu(lax.conv(x, w, (1, 1), "SAME")), -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    return [jax.jit(f)(x, w), jax.jit(jax.grad(lambda w: f(x, w).sum()))(w)]


@program
def sorting():
    x, i = normal(5000), jnp.asarray(rng.integers(0, 50, 5000))
    return jax.jit(lambda x, i: [jnp.sort(x), jnp.argsort(x), jnp.argsort(i, stable=True), jnp.lexsort((x, i)), *lax.top_k(x, 40), jnp.searchsorted(jnp.sort(x), x[:100]), jnp.sort(x.reshape(50, 100), 0)])(x, i)


@program
def scans():
    x, i = normal(3000), jnp.asarray(rng.integers(-9, 9, 3000))
    f = lambda x, i: [jnp.cumsum(i), lax.cummax(x), lax.cumprod(1 + 0.01 * x[:300]), lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (1 + 0.01 * x, x))[1],
                      lax.associative_scan(jnp.minimum, i, reverse=True)]
    return jax.jit(f)(x, i)


@program
def loops():
    def collatz(n):
        return lax.while_loop(lambda s: s[0] != 1, lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1), (n, 0))[1]
    newton = lambda v: lax.fori_loop(0, 30, lambda _, y: 0.5 * (y + v / y), v)
    chosen = lambda k, v: lax.switch(k, [jnp.sin, jnp.exp, lambda z: z * z], v)
    return [jax.jit(jax.vmap(collatz))(jnp.arange(1, 500)), jax.jit(newton)(jnp.abs(normal(500)) + 1), jax.jit(jax.vmap(chosen))(jnp.arange(300) % 3, normal(300))]


@program
def scatters():
    i, v = jnp.asarray(rng.integers(0, 100, 2000)), jnp.asarray(rng.integers(0, 1000, 2000))
    f = lambda i, v: [jnp.zeros(100, jnp.int64).at[i].add(v), jnp.zeros(100, jnp.int32).at[i].max(v.astype(jnp.int32)), jnp.zeros(100, jnp.int64).at[i].min(-v), v[i], jnp.take(v, i * 30, mode="clip"),
                      jax.ops.segment_sum(v, i, 100), jnp.bincount(i, length=128), jnp.zeros(100, jnp.float32).at[i].max(v.astype(jnp.float32)), jnp.zeros(100, jnp.int8).at[i].add(v.astype(jnp.int8))]
    return jax.jit(f)(i, v)


@program
def random_numbers():
    k = jax.random.key(9)
    return [jax.random.normal(k, (1000,)), jax.random.randint(k, (1000,), 0, 77), jax.random.permutation(k, 500), jax.random.gamma(k, 2.5, (300,)), jax.random.poisson(k, 4.0, (300,)),
            jax.random.categorical(k, normal(200, 9)), jax.random.bits(jax.random.key(3, impl="rbg"), (100,)), jax.random.truncated_normal(k, -1, 1, (200,))]


@program
def complex_numbers():
    z = normal(600) + 1j * normal(600)
    return jax.jit(lambda z: [z * z, jnp.exp(z), jnp.sqrt(z), jnp.abs(z), jnp.log(z), z / (z + 2), jnp.tanh(z)])(z)


@program
def solving():
    a = normal(12, 12) @ normal(12, 12) + 9 * jnp.eye(12, dtype=jnp.float32)
    a = a @ a.T
    f = lambda a: [jax.scipy.linalg.solve_triangular(jnp.tril(a), jnp.ones(12, a.dtype), lower=True), jnp.linalg.norm(a), jnp.trace(a), jnp.kron(a[:3, :3], a[3:6, 3:6])]
    return jax.jit(f)(a)


@program
def layers():
    x, w, g = normal(64, 300), normal(300, 40) * 0.05, normal(300)

    def f(w, g):
        h = x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * g
        return -jax.nn.log_softmax(jax.nn.silu(h @ w))[jnp.arange(64), jnp.arange(64) % 40].mean()
    return [jax.jit(f)(w, g), *jax.jit(jax.grad(f, (0, 1)))(w, g), jax.jit(jax.hessian(lambda t: (jnp.sin(t) * t[::-1]).sum()))(g[:40])]


@program
def differential_equation():
    def step(s, _):
        x, v = s
        d = x[:, None] - x[None]
        f = (d / (jnp.sum(d * d, -1, keepdims=True) + 0.1) ** 1.5).sum(1)
        v = v - 0.001 * f
        return (x + 0.001 * v, v), None
    return list(jax.jit(lambda x, v: lax.scan(step, (x, v), None, length=25)[0])(normal(100, 3), normal(100, 3)))


@program
def pallas_kernels():
    from jax.experimental import pallas as pl

    def soft(x_ref, o_ref):
        v = x_ref[...]
        e = jnp.exp(v - v.max(1, keepdims=True))
        o_ref[...] = e / e.sum(1, keepdims=True)

    def product(a_ref, b_ref, o_ref):
        o_ref[...] = a_ref[...] @ b_ref[...]
    from jax.experimental.pallas import triton as plt
    params = getattr(plt, "CompilerParams", None) or plt.TritonCompilerParams
    p = dict(compiler_params=params(num_warps=4))
    x, a, b = normal(64, 128), normal(128, 64).astype(jnp.float16), normal(64, 128).astype(jnp.float16)
    s = pl.pallas_call(soft, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(4,), in_specs=[pl.BlockSpec((16, 128), lambda i: (i, 0))], out_specs=pl.BlockSpec((16, 128), lambda i: (i, 0)), **p)(x)
    m = pl.pallas_call(product, out_shape=jax.ShapeDtypeStruct((128, 128), jnp.float32), grid=(2, 2), in_specs=[pl.BlockSpec((64, 64), lambda i, j: (i, 0)), pl.BlockSpec((64, 64), lambda i, j: (0, j))],
                       out_specs=pl.BlockSpec((64, 64), lambda i, j: (i, j)), **p)(a, b)
    return [s, m]


def main():
    global rng
    chosen = os.environ.get("PROGRAMS")
    for f in PROGRAMS:
        if chosen and f.__name__ not in chosen.split(","):
            continue
        rng = np.random.default_rng(23)
        try:
            for n, r in enumerate(f()):
                RESULTS["%s.%d" % (f.__name__, n)] = np.asarray(r)
        except Exception as e:
            traceback.print_exc()
            RESULTS[f.__name__ + ".error"] = np.frombuffer(type(e).__name__.encode(), np.uint8)
    np.savez(sys.argv[1], **RESULTS)


main()
