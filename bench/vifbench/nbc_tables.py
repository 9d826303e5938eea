"""Tables and verdicts of the 17 non-blocking collectives (programs/nbc.c)."""

import statistics

from . import tables

MODES = {
    "exploit": "computation as long as each library's own collective",
    "equivalent": "the same computation with every library",
}
KERNELS = {"product": "matrix product", "add": "matrix sum"}


def _points(job, name, **wanted):
    for point in job["results"].get(name, {}).get("points", []):
        if all(point.get(key) == value for key, value in wanted.items()):
            yield point


def _forms(job):
    """(mode, kernel) that were measured, in the program's order."""
    found = {
        (point["mode"], point["kernel"]): None for result in job["results"].values() for point in result["points"]
    }
    return list(found)


def _sizes(job):
    return sorted({point["size"] for result in job["results"].values() for point in result["points"]} - {0})


def _names(record, job):
    return [entry["name"] for entry in record["contenders"] if entry["name"] in job["results"]]


def _title(job, form, what):
    return f"{what}, {job['title']}: {MODES[form[0]]}, {KERNELS[form[1]]}"


def _overlap_table(record, job, form):
    """The median over the collectives of what is hidden, by size."""
    names = _names(record, job)
    rows = []
    for size in _sizes(job):
        cells = []
        for name in names:
            shares = [
                point["overlap"]["median"] for point in _points(job, name, mode=form[0], kernel=form[1], size=size)
            ]
            cells.append(f"{100 * statistics.median(shares):.0f} %" if shares else "–")
        rows.append([tables.size_text(size), *cells])
    return tables.Table(_title(job, form, "Overlap, median of the collectives"), ["size", *names], rows)


def _total_table(record, job, form):
    """Total time and what was hidden of it: a row for each collective and size."""
    names = _names(record, job)
    compare = "vif" in names and any(not name.startswith("vif") for name in names)
    keys = {}
    for name in names:
        for point in _points(job, name, mode=form[0], kernel=form[1]):
            keys[(point["size"], point["collective"])] = None
    rows = []
    for size, collective in keys:
        wanted = {"mode": form[0], "kernel": form[1], "size": size, "collective": collective}
        cells = []
        for name in names:
            point = tables.find(job, name, **wanted)
            hidden = f" ({100 * point['overlap']['median']:.0f} %)" if point else ""
            cells.append(tables.measured(point and point["t_both_us"]) + hidden)
        if compare:
            ours, peer = tables.find(job, "vif", **wanted), tables.best_peer(job, "t_both_us", **wanted)
            cells.append(f"{ours['t_both_us']['median'] / peer[1]:.2f} ({peer[0]})" if ours and peer else "–")
        rows.append([collective, tables.size_text(size), *cells])
    headers = ["collective", "size", *names] + (["vif / best peer"] if compare else [])
    return tables.Table(_title(job, form, "Total time in µs (hidden)"), headers, rows)


def _detail_table(job, name, form):
    """All that was measured of one contender."""
    rows = []
    for point in _points(job, name, mode=form[0], kernel=form[1]):
        both = point["t_both_us"]
        rows.append(
            [
                point["collective"],
                tables.size_text(point["size"]),
                f"{100 * point['overlap']['median']:.0f} %",
                f"{100 * point['unclamped']['median']:.0f} %",
                tables.number(point["t_comm_us"]["median"]),
                tables.number(point["t_comp_us"]["median"]),
                *(tables.number(both[part]) for part in ("median", "mean", "min", "max")),
            ]
        )
    headers = ["collective", "size", "overlap", "unclamped", "t_comm", "t_comp", "t_both", "mean", "min", "max"]
    return tables.Table(_title(job, form, f"{name} in µs"), headers, rows)


def of_job(record, job):
    made = []
    for form in _forms(job):
        if form[0] == "exploit":
            made.append(_overlap_table(record, job, form))
        made.append(_total_table(record, job, form))
    names = _names(record, job)
    for form in _forms(job) if names else []:
        if form[0] == "exploit":
            made.append(_detail_table(job, "vif" if "vif" in names else names[0], form))
    if made:
        made[-1].notes.append(
            "overlap = max(0, min(1, (t_comm + t_comp − t_both) / min(t_comm, t_comp))), each time that of the slowest "
            "rank; unclamped without the bounds. mean, min and max are of t_both, medians over the rounds."
        )
    return made


def _overlap_verdicts(job):
    """On a link that is slower than the CPU the collectives are to be hidden."""
    rows = []
    for size in _sizes(job):
        shares = [point["overlap"]["median"] for point in _points(job, "vif", mode="exploit", size=size)]
        if shares:
            middle = statistics.median(shares)
            rows.append(
                [
                    f"overlap of the collectives at 1 Gb/s, {job['title']}, {tables.size_text(size)}",
                    "median ≥ 90 %",
                    f"{100 * middle:.0f} % (least {100 * min(shares):.0f} %)",
                    "met" if middle >= 0.9 else "NOT MET",
                ]
            )
    return rows


def verdicts(job, link=None):
    """Rows of promises: the total time beside the best peer's, for the same computation with each; what is hidden."""
    where = f" between hosts ({link})" if link else ""
    rows = _overlap_verdicts(job) if link == "shaped" else []
    for size in _sizes(job):
        met, worst = 0, None
        points = [point for point in _points(job, "vif", mode="equivalent") if point["size"] == size]
        for point in points:
            wanted = {key: point[key] for key in ("collective", "size", "mode", "kernel")}
            peer = tables.best_peer(job, "t_both_us", **wanted)
            if not peer:
                continue
            ratio = point["t_both_us"]["median"] / peer[1]
            met += ratio <= 1
            worst = max(worst or (0, ""), (ratio, f"{point['collective']}, {peer[0]}"))
        if worst:
            rows.append(
                [
                    f"collectives beside a computation{where}, {job['title']}, {tables.size_text(size)}",
                    "total time ≤ best peer's for each",
                    f"{met} of {len(points)}; worst {worst[0]:.2f} × ({worst[1]})",
                    "met" if met == len(points) else "NOT MET",
                ]
            )
    return rows
