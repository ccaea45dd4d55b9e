"""A plugin of pytest that records what tests launch: pytest -p pytest_launches FILES.

Of each test function RECORD_ITEMS (2) of its cases are run, chosen by RECORD_SEED.
"""

import os
import random

import recorder  # noqa: F401


def pytest_collection_modifyitems(session, config, items):
    n, rng, functions = int(os.environ.get("RECORD_ITEMS", "2")), random.Random(int(os.environ.get("RECORD_SEED", "1"))), {}
    for item in items:
        functions.setdefault((item.fspath.basename, getattr(item, "originalname", item.name)), []).append(item)
    keep = [item for f in functions.values() for item in rng.sample(f, min(n, len(f)))]
    config.hook.pytest_deselected(items=[i for i in items if i not in set(keep)])
    items[:] = keep
