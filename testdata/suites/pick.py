"""A pytest plugin: tests in a shuffled order, some of them only, every result logged as it comes.

PICK_LOG names the log. PICK_ONLY names a file with the tests to run, one a line. PICK_FRAC keeps a part of the tests
whose name contains a word, as test_core.py=0.4,test_mxfp.py=0.3. A worker whose GPU is in a state of error is replaced.
"""
import os
import sys
import zlib

import pytest

LOG = os.environ.get("PICK_LOG")
ONLY = os.environ.get("PICK_ONLY")
FRAC = os.environ.get("PICK_FRAC", "")


def log(line):
    with open(LOG, "a") as f:
        f.write(line + "\n")


def pytest_collection_modifyitems(config, items):
    if ONLY:
        want = set(line.rstrip("\n") for line in open(ONLY))
        items[:] = [i for i in items if i.nodeid in want]
    part = dict(p.split("=") for p in FRAC.split(",") if "=" in p)

    def keep(i):
        for word, share in part.items():
            if word in i.nodeid:
                return zlib.crc32(("s" + i.nodeid).encode()) % 1000 < float(share) * 1000
        return True

    items[:] = sorted(filter(keep, items), key=lambda i: zlib.crc32(i.nodeid.encode()))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart(nodeid, location):
    if os.environ.get("PYTEST_XDIST_WORKER"):
        log("start\t" + nodeid)


def pytest_runtest_logreport(report):
    if not os.environ.get("PYTEST_XDIST_WORKER") or report.when != "call" and report.outcome == "passed":
        return
    message = ""
    if report.failed:
        message = str(report.longreprtext).strip().replace("\n", " | ")[-400:]
    outcome = report.outcome if report.when == "call" or report.outcome == "skipped" else "failed-" + report.when
    log("end\t%s\t%s\t%s" % (report.nodeid, outcome, message))
    if report.failed and "torch" in sys.modules:
        try:
            sys.modules["torch"].cuda.synchronize()
        except Exception:
            os._exit(3)
