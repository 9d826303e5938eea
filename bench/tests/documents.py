"""Small documents and records, as the programs and the driver write them."""


def measure(median, spread=0.1):
    low, high = median * (1 - spread), median * (1 + spread)
    return {
        "median": median,
        "p10": low,
        "p25": low,
        "p75": high,
        "p95": high,
        "min": low,
        "max": high,
        "mean": median,
        "deviation": spread * median,
        "count": 10,
    }


def overlap_point(side, size, compute, transfer, computation, both):
    less, more = min(transfer, computation), max(transfer, computation)
    return {
        "side": side,
        "size": size,
        "compute": compute,
        "t_comm_us": measure(transfer),
        "t_comp_us": measure(computation),
        "t_both_us": measure(both),
        "ratio": (transfer + computation - both) / less,
        "excess_us": both - more,
        "colour": (both - more) / less,
    }


def document(benchmark, points, library="Vif 0.1.0"):
    return {
        "benchmark": benchmark,
        "schema": 1,
        "library": library,
        "library_file": "/opt/vif/lib/libmpi_abi.so.1",
        "mpi": "5.0",
        "ranks": 2,
        "parameters": {},
        "points": points,
    }


MACHINE = {
    "cpu": "Test CPU",
    "usable_cpus": 2,
    "cgroup_cpus": None,
    "virtual": True,
    "governor": "unknown",
    "kernel": "6.1",
    "system": "Test",
    "memory_gb": 4.0,
}


def record(benchmark, jobs, contenders=("vif", "mpich"), idle=True):
    return {
        "benchmark": benchmark,
        "what": "a test",
        "when": "2026-01-01T00:00:00Z",
        "machine": MACHINE,
        "rounds": 3,
        "mode": "quick",
        "missing": [],
        "conditions": {"idle": idle, "sentence": "A sentence.", "looks": []},
        "contenders": [{"name": name, "library": name.split(":")[0], "settings": {}} for name in contenders],
        "jobs": jobs,
    }


def job(program, results, ranks=2, arguments=None, failures=None, title="part"):
    """results = {contender: merged points}"""
    wall = {"median": 0.05, "low": 0.04, "high": 0.06, "rounds": [0.04, 0.05, 0.06]}
    return {
        "title": title,
        "program": program,
        "ranks": ranks,
        "arguments": arguments or {},
        "failures": failures or {},
        "results": {
            name: {
                "library": name,
                "library_file": "/x",
                "rounds": 3,
                "wall_s": wall,
                "points": points,
            }
            for name, points in results.items()
        },
    }
