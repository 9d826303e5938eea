"""What the project promises, beside what was measured. A promise without a measure (no peer, quick mode) has no row."""

from . import collective_tables, event_verdicts, nbc_tables
from .tables import Table, best_peer, find, number, size_text


def _verdict(met):
    return "met" if met else "NOT MET"


def _jobs(records, benchmark, link=None):
    """What was promised of one host is not promised of another network."""
    same = (record for record in records if record["benchmark"] == benchmark and record.get("link") == link)
    return [job for record in same for job in record["jobs"]]


def interrupt_latency(records):
    """Median µs from sending to handler between two processes, or None when it was not measured."""
    for job in _jobs(records, "interrupt"):
        for method in ("tgkill", "pidfd_send_signal"):
            point = find(job, "kernel", placement="processes", method=method)
            if point and point.get("latency_us"):
                return point["latency_us"]["median"]
    return None


def _latency(records):
    rows = []
    for job in _jobs(records, "latency"):
        for size in (8, 65536, 1048576):
            ours = find(job, "vif", size=size)
            if not ours:
                continue
            value = ours["one_way_us"]["median"]
            if size == 8:
                rows.append(
                    [
                        "8-byte one-way latency",
                        "≤ 0.30 µs",
                        f"{number(value)} µs",
                        _verdict(value <= 0.30),
                    ]
                )
            peer = best_peer(job, "one_way_us", size=size)
            if peer:
                rows.append(
                    [
                        f"{size_text(size)} one-way latency",
                        f"≤ best peer ({peer[0]}, {number(peer[1])} µs)",
                        f"{number(value)} µs",
                        _verdict(value <= peer[1]),
                    ]
                )
    return rows


def _one_sided(point, limit, where):
    rows = []
    what = f"overlap, {point['side']} computes, {size_text(point['size'])}{where}"
    if limit is not None:
        excess = point["excess_us"]["median"]
        rows.append(
            [
                what,
                f"excess ≤ {number(2 * limit)} µs (2 × interrupt)",
                f"{number(excess)} µs",
                _verdict(excess <= 2 * limit),
            ]
        )
    if point["size"] >= 1048576:
        ratio = point["ratio"]["median"]
        rows.append([what, "ratio ≥ 0.95", number(ratio), _verdict(ratio >= 0.95)])
    return rows


def _overlap(records):
    rows = []
    limit = interrupt_latency(records)
    for job in _jobs(records, "overlap"):
        where = " (MPI_Alloc_mem)" if "MPI_Alloc_mem" in job["title"] else ""
        for point in job["results"].get("vif", {}).get("points", []):
            if point["compute"] != "equal":
                continue
            if point["side"] != "both":
                rows += _one_sided(point, limit, where)
                continue
            ratio = point["ratio"]["median"]
            floor = 0.2 if point["size"] == 1048576 else 0
            rows.append(
                [
                    f"overlap, both compute, {size_text(point['size'])}{where}",
                    f"ratio ≥ {floor}",
                    number(ratio),
                    _verdict(ratio >= floor),
                ]
            )
    return rows


def _level_with_peers(job, point, measure, what, unit, larger_is_better=False, **same):
    """Our figure is promised to be no worse than that of the best peer."""
    peer = best_peer(job, measure, larger_is_better, **same)
    if not peer or not peer[1]:
        return []
    value = point[measure]["median"]
    sign, met = ("≥", value >= peer[1]) if larger_is_better else ("≤", value <= peer[1])
    return [
        [
            what,
            f"{sign} best peer ({peer[0]}, {number(peer[1])} {unit})",
            f"{number(value)} {unit}",
            _verdict(met),
        ]
    ]


def _overlap_shaped(records):
    rows = []
    for job in _jobs(records, "overlap", "shaped"):
        for point in job["results"].get("vif", {}).get("points", []):
            who = "both compute" if point["side"] == "both" else f"{point['side']} computes"
            what = f"overlap at 1 Gb/s, {who}, {size_text(point['size'])}"
            ratio = point["ratio"]["median"]
            if point["compute"] == "equal":
                rows.append([what, "ratio ≥ 0.95", number(ratio), _verdict(ratio >= 0.95)])
            same = {key: point[key] for key in ("side", "size", "compute")}
            rows += _level_with_peers(job, point, "t_both_us", f"{what}, in all", "µs", **same)
    return rows


def _between_hosts(records):
    rows = []
    for link in ("tcp", "shaped", "rails"):
        for benchmark, measure, unit, larger in (
            ("latency", "one_way_us", "µs", False),
            ("bandwidth", "megabytes_per_second", "MB/s", True),
        ):
            for job in _jobs(records, benchmark, link):
                for point in job["results"].get("vif", {}).get("points", []):
                    what = f"{benchmark} between hosts ({link}), {job['title']}, {size_text(point['size'])}"
                    rows += _level_with_peers(job, point, measure, what, unit, larger, size=point["size"])
    return rows


def _wait(records):
    rows = []
    for job in _jobs(records, "wait"):
        for point in job["results"].get("vif", {}).get("points", []):
            burnt, ratio = point["cpu_percent"]["median"], point["wake_ratio"]["median"]
            rows.append(
                [
                    f"CPU burnt waiting in {point['operation']}",
                    "< 1 %",
                    f"{number(burnt)} %",
                    _verdict(burnt < 1),
                ]
            )
            rows.append(
                [
                    f"wake-up from {point['operation']}",
                    "≤ 2 × bare futex",
                    f"{number(ratio)} ×",
                    _verdict(ratio <= 2),
                ]
            )
    return rows


def _quiet(records):
    rows = []
    for job in _jobs(records, "quiet"):
        for point in job["results"].get("vif", {}).get("points", []):
            slower = point["slower_percent_worst_rank"]["median"]
            rows.append(
                [
                    f"computation with nothing pending ({point['when']})",
                    "slowed < 0.5 %",
                    f"{slower:.3f} %",
                    _verdict(slower < 0.5),
                ]
            )
    return rows


def _oversubscribe(records):
    rows = []
    for job in _jobs(records, "oversubscribe"):
        ours = job["results"].get("vif")
        if ours and job["arguments"].get("operations") == "none":
            goal = {2: 0.1, 64: 0.7}.get(job["ranks"])
            wall = ours["wall_s"]["median"]
            if goal is not None:
                rows.append(
                    [
                        f"start, init and finalize, {job['ranks']} ranks",
                        f"≤ {goal} s",
                        f"{number(wall)} s",
                        _verdict(wall <= goal),
                    ]
                )
            continue
        part = {64: 0.5, 16: 1, 4: 1}.get(job["ranks"])
        for operation in ("barrier", "allreduce8"):
            point, peer = (
                find(job, "vif", operation=operation),
                best_peer(job, "call_us", operation=operation),
            )
            if part is None or not point or not peer:
                continue
            value = point["call_us"]["median"]
            goal = f"≤ {'½ of ' if part < 1 else ''}best peer ({peer[0]}, {number(peer[1])} µs)"
            rows.append(
                [
                    f"{operation}, {job['ranks']} ranks",
                    goal,
                    f"{number(value)} µs",
                    _verdict(value <= part * peer[1]),
                ]
            )
    return rows


def _collectives(records):
    rows = []
    for job in _jobs(records, "collectives"):
        ratios = [point.ratio for point in collective_tables.beside_peers(job)]
        if ratios:
            limit = 1.0 if job["ranks"] > 4 else 1.1
            good = sum(ratio <= limit for ratio in ratios)
            promised = f"all ≤ {limit} × best peer"
            rows.append([job["title"], promised, f"{good} of {len(ratios)}", _verdict(good == len(ratios))])
    return rows


def _reactivity(records):
    rows = []
    promised = (("mean_us", "mean", 50), ("p99_us", "99 %", 200), ("p999_us", "99.9 %", 2000))
    for job in _jobs(records, "reactivity"):
        for point in job["results"].get("vif", {}).get("points", []):
            if point["form"] != "paced" or point["threads"] == 0:
                continue
            beside = f"paced round trip beside {point['threads']} computing threads"
            for measure, words, goal in promised:
                value = point[measure]["median"]
                rows.append([f"{beside}, {words}", f"≤ {goal} µs", f"{number(value)} µs", _verdict(value <= goal)])
            kept = point["compute_percent"]["median"]
            rows.append([f"{beside}: these keep", "≥ 95 % of the CPU", f"{number(kept)} %", _verdict(kept >= 95)])
    return rows


# What counts in each benchmark when reactions are compared: the measure, and whether more of it is better.
_COMPARED = {
    "latency": ("one_way_us", False),
    "bandwidth": ("megabytes_per_second", True),
    "overlap": ("t_both_us", False),
    "oversubscribe": ("call_us", False),
    "reactivity": ("mean_us", False),
}


def _automatic(records):
    """The default against the best fixed reaction, when these were measured in the same run."""
    rows = []
    for benchmark, (measure, more_is_better) in _COMPARED.items():
        worst = None
        for job in _jobs(records, benchmark):
            fixed = [name for name in job["results"] if name.startswith("vif:")]
            for point in job["results"].get("vif", {}).get("points", []):
                same = {key: value for key, value in point.items() if isinstance(value, (str, int)) and key != "window"}
                others = [other[measure]["median"] for other in (find(job, name, **same) for name in fixed) if other]
                if not others or not point.get(measure) or not point[measure]["median"]:
                    continue
                own = point[measure]["median"]
                loss = max(others) / own if more_is_better else own / min(others)
                if worst is None or loss > worst[0]:
                    worst = (loss, " ".join(str(value) for value in same.values()))
        if worst:
            rows.append(
                [
                    f"auto against the best fixed reaction, {benchmark}",
                    "≤ 5 % worse at each point",
                    f"{100 * (worst[0] - 1):+.1f} % ({worst[1]})",
                    _verdict(worst[0] <= 1.05),
                ]
            )
    return rows


def of_records(records):
    rows = _latency(records) + _overlap(records) + _quiet(records) + _wait(records) + _oversubscribe(records)
    rows += _collectives(records) + _overlap_shaped(records) + _between_hosts(records)
    for link in (None, "tcp", "shaped", "rails"):
        rows += [row for job in _jobs(records, "nbc", link) for row in nbc_tables.verdicts(job, link)]
    rows += _reactivity(records) + _automatic(records) + event_verdicts.of_records(records)
    table = Table("Promises", ["what", "promised", "measured", ""], rows)
    if any(not record["conditions"]["idle"] for record in records):
        table.notes.append("The machine was not idle during part of this: a promise not met may be its fault.")
    return table
