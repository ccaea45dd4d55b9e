"""Inductor over PyTorch's own list of operators, compiled against eager.

    inductor_ops.py SHARD SHARDS LOG SECONDS [ONLY]

takes every SHARDS-th pair of operator and type, three of its sample inputs each, and writes a line to LOG when it begins
and when it ends. ONLY names a file with the pairs to take. Operators that make random or unset numbers are left out.
"""
import logging
import os
import signal
import sys
import time
import warnings
import zlib

os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
import torch
import torch._dynamo
import torch._inductor.config
from torch.testing._internal.common_methods_invocations import op_db

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
torch._inductor.config.fallback_random = True

RANDOM = ("empty", "linalg", "rand", "dropout", "multinomial", "bernoulli")
OTHERS = {"normal", "uniform", "cauchy", "exponential", "geometric", "log_normal", "lu", "svd"}
TYPES = (torch.float32, torch.float16, torch.int32)


class Slow(Exception):
    pass


def slow(*_):
    raise Slow()


def pairs(shard, shards):
    every = [(o, t) for o in op_db for t in TYPES if t in o.supported_dtypes("cuda")]
    every.sort(key=lambda p: zlib.crc32((p[0].name + p[0].variant_test_name + str(p[1])).encode()))
    return [p for p in every[shard::shards] if p[0].name not in OTHERS and not any(w in p[0].name for w in RANDOM)]


def tensors(x):
    return [t for t in torch.utils._pytree.tree_leaves(x) if isinstance(t, torch.Tensor)]


def compare(op, dtype):
    """Returns ok, or eager where eager itself refuses a sample."""
    result = "ok"
    torch.manual_seed(5)
    samples = list(op.sample_inputs("cuda", dtype, requires_grad=False))
    if len(samples) > 3:
        samples = [samples[0], samples[len(samples) // 2], samples[-1]]
    near = 2e-2 if dtype == torch.float16 else 1e-3
    for s in samples:
        try:
            want = tensors(op.op(s.input, *s.args, **s.kwargs))
        except Slow:
            raise
        except Exception:
            result = "eager"
            continue
        torch._dynamo.reset()
        got = tensors(torch.compile(lambda x, a, k: op.op(x, *a, **k), dynamic=False)(s.input, s.args, s.kwargs))
        torch.cuda.synchronize()
        for w, g in zip(want, got):
            if w.dtype.is_floating_point or w.dtype.is_complex:
                torch.testing.assert_close(g, w, rtol=near, atol=near, equal_nan=True, check_stride=False)
            else:
                assert torch.equal(w, g), "integers differ"
    return result


def main():
    shard, shards, limit = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[4])
    only = set(open(sys.argv[5]).read().split("\n")) if len(sys.argv) > 5 else None
    signal.signal(signal.SIGALRM, slow)
    begun = time.time()
    for op, dtype in pairs(shard, shards):
        if time.time() - begun > limit:
            break
        name = "%s.%s %s" % (op.name, op.variant_test_name, str(dtype)[6:])
        if only is not None and name not in only:
            continue
        with open(sys.argv[3], "a") as log:
            log.write("start\t%s\n" % name)
            log.flush()
            signal.alarm(40)
            try:
                result = compare(op, dtype)
            except Slow:
                result = "time"
            except Exception as e:
                result = "FAIL " + (type(e).__name__ + " " + str(e).replace("\n", " "))[:200]
            signal.alarm(0)
            log.write("end\t%s\t%s\n" % (name, result))


main()
