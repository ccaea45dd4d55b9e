"""JAX: XLA calls the assembler of its CUDA folder."""
import numpy as np
import jax
import jax.numpy as jnp
from assemble import show


@jax.jit
def physics(x, v):
    def step(c, _):
        x, v = c
        r = jnp.sqrt(jnp.sum(x * x, -1, keepdims=True) + 0.01)
        a = -x / r**3
        v = v + 0.01 * a
        return (x + 0.01 * v, v), jnp.sum(v * v)
    return jax.lax.scan(step, (x, v), None, length=20)


@jax.jit
def net(p, x):
    for w, b in p:
        x = jax.nn.gelu((x[:, :, None] * w[None]).sum(1) + b)
    return jax.nn.log_softmax(x)


print(jax.devices()[0].platform)
rng = np.random.default_rng(11)
x, v = rng.standard_normal((256, 3)).astype(np.float32), rng.standard_normal((256, 3)).astype(np.float32)
(a, b), e = physics(x, v)
show("positions", a)
show("speeds", b)
show("energy", e)
p = [(jnp.asarray(rng.standard_normal((n, m)).astype(np.float32)), jnp.zeros(m)) for n, m in ((12, 16), (16, 7))]
h = rng.standard_normal((50, 12)).astype(np.float32)
show("net", net(p, h))
show("gradient", jax.jit(jax.grad(lambda p: net(p, h)[:, 0].mean()))(p)[0][0])
show("sort", jax.jit(jnp.sort)(rng.integers(0, 9999, 3000)))
show("cumsum", jax.jit(jnp.cumsum)(rng.integers(0, 99, 3000)))
show("fft", jax.jit(lambda z: jnp.exp(-z) * jnp.sin(z) + jnp.arctan2(z, z + 1))(jnp.linspace(0.1, 5, 777)))
show("random", jax.random.normal(jax.random.key(4), (500,)))
show("where", jax.jit(lambda z: jnp.where(z > 0, z, z * 0.1).astype(jnp.bfloat16).astype(jnp.float32))(x))
show("reduce", jax.jit(lambda z: (z.max(0), z.argmin(0), z.prod(1)))(x)[2])
