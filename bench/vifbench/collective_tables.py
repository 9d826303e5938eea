"""Tables of `vif bench collectives`: time and ratio by operation and size, and where Vif is behind."""

from dataclasses import dataclass

from .tables import Table, best_peer, find, measured, number, size_text

# Behind by less than this is not told from noise.
LEVEL = 1.1
FORMS = ("blocking", "non-blocking")


@dataclass
class Beside:
    operation: str
    form: str
    size: int
    ratio: float
    peer: str

    def keys(self):
        return {"operation": self.operation, "form": self.form, "size": self.size}


def beside_peers(job):
    """Each point of Vif for which some peer has a figure."""
    found = []
    for point in job["results"].get("vif", {}).get("points", []):
        keys = {key: point[key] for key in ("operation", "form", "size")}
        peer = best_peer(job, "call_us", **keys)
        if peer and peer[1] and "call_us" in point:
            found.append(Beside(**keys, ratio=point["call_us"]["median"] / peer[1], peer=peer[0]))
    return found


def _cell(job, name, keys, ratios):
    point = find(job, name, **keys)
    if point is None:
        return ""
    if "call_us" not in point:
        return "wrong"
    text = number(point["call_us"]["median"])
    beside = ratios.get(tuple(keys.values()))
    return f"{text} ({beside.ratio:.2f} {beside.peer})" if beside else text


def _by_operation(job, form):
    """Vif's time, or the first contender's when Vif does not take part; in brackets its ratio to the best peer."""
    name = "vif" if "vif" in job["results"] else next(iter(job["results"]), None)
    points = [point for point in job["results"].get(name, {}).get("points", []) if point["form"] == form]
    ratios = {tuple(beside.keys().values()): beside for beside in beside_peers(job)}
    sizes = sorted({point["size"] for point in points})
    operations = list(dict.fromkeys(point["operation"] for point in points))
    rows = []
    for operation in operations:
        keys = [{"operation": operation, "form": form, "size": size} for size in sizes]
        rows.append([operation, *(_cell(job, name, key, ratios) for key in keys)])
    headers = ["operation", *(size_text(size) if size else "–" for size in sizes)]
    return Table(f"{form.capitalize()} {job['title']}: µs per call of {name} (over the best peer)", headers, rows)


def _behind(job):
    names = list(job["results"])
    behind = [beside for beside in beside_peers(job) if beside.ratio > LEVEL]
    behind.sort(key=lambda beside: -beside.ratio)
    rows = []
    for beside in behind:
        cells = [measured((find(job, name, **beside.keys()) or {}).get("call_us")) for name in names]
        what = f"{beside.operation}, {beside.form}, {size_text(beside.size)}"
        rows.append([what, *cells, f"{beside.ratio:.2f} ({beside.peer})"])
    title = f"Behind the best peer by more than {round(100 * (LEVEL - 1))} %, {job['ranks']} ranks (µs per call)"
    return Table(title, ["operation", *names, "vif / best peer"], rows)


def _wrong(job):
    """Sentences about results that were wrong, which have no figures."""
    for name, result in job["results"].items():
        wrong = [point for point in result["points"] if "call_us" not in point]
        words = [f"{point['operation']} ({point['form']}, {size_text(point['size'])})" for point in wrong]
        if wrong:
            yield f"{name} gave wrong results with {job['ranks']} ranks: {', '.join(words)}"


def _summary(job):
    ratios = sorted(beside.ratio for beside in beside_peers(job))
    ahead = sum(ratio < 1 / LEVEL for ratio in ratios)
    behind = sum(ratio > LEVEL for ratio in ratios)
    middle = ratios[len(ratios) // 2]
    cells = [len(ratios), ahead, len(ratios) - ahead - behind, behind, number(middle), number(ratios[-1])]
    headers = ["ranks", "points", "ahead", "level", "behind", "middle ratio", "worst ratio"]
    return Table("Vif beside the best peer of each point", headers, [[str(job["ranks"]), *map(str, cells)]])


def of_job(record, job):
    del record
    made = [_by_operation(job, form) for form in FORMS]
    if beside_peers(job):
        made = [_summary(job), *made, _behind(job)]
    made = [table for table in made if table.rows]
    if made:
        made[-1].notes += _wrong(job)
    return made
