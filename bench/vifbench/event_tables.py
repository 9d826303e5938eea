"""Tables and pictures of event benchmarks: rows are points, columns contenders, as event_suite.py describes them."""

from . import tables
from .event_suite import KINDS
from .figures import Lines


def _key_text(name, value):
    return tables.size_text(int(value)) if name == "size" else str(value)


def _rows(kind, record, job, measure):
    """[(key values, point)] in the order in which they were measured, where some contender has the measure."""
    found = []
    for entry in record["contenders"]:
        for point in job["results"].get(entry["name"], {}).get("points", []):
            key = tuple(point.get(name) for name in kind.keys)
            if measure.member in point and key not in found:
                found.append(key)
    return found


def _table(kind, record, job, measure):
    names = [entry["name"] for entry in record["contenders"] if entry["name"] in job["results"]]
    compare = "vif" in names and any(not name.startswith("vif") for name in names)
    rows = []
    for key in _rows(kind, record, job, measure):
        wanted = dict(zip(kind.keys, key, strict=True))
        cells = [tables.measured((tables.find(job, name, **wanted) or {}).get(measure.member)) for name in names]
        if compare:
            cells.append(_ratio(job, measure, wanted))
        rows.append([", ".join(_key_text(name, value) for name, value in wanted.items()), *cells])
    headers = [", ".join(kind.keys), *names] + (["vif / best peer"] if compare else [])
    title = measure.title + ("; more is better" if measure.larger_is_better else "")
    return tables.Table(title, headers, rows)


def _ratio(job, measure, wanted):
    ours = (tables.find(job, "vif", **wanted) or {}).get(measure.member)
    peer = tables.best_peer(job, measure.member, measure.larger_is_better, **wanted)
    if not ours or ours["median"] is None or not peer or not peer[1]:
        return "–"
    return f"{ours['median'] / peer[1]:.2f} ({peer[0]})"


def of_job(record, job):
    kind = KINDS[record["benchmark"]]
    made = [_table(kind, record, job, measure) for measure in kind.measures]
    made = [table for table in made if table.rows]
    if made and kind.notes:
        made[-1].notes.append(kind.notes)
    return made


def pictures_of(record):
    """One picture for each measure and each group of points that differ in the `across` key alone."""
    kind = KINDS[record["benchmark"]]
    made = []
    for job in record["jobs"]:
        for measure in kind.measures:
            made += _pictures(kind, record, job, measure) if kind.across else []
    return made


def _pictures(kind, record, job, measure):
    keys = _rows(kind, record, job, measure)
    at = kind.keys.index(kind.across)
    groups = {}
    for key in keys:
        groups.setdefault(key[:at] + key[at + 1 :], []).append(key)
    made = []
    for group, members in groups.items():
        if len(members) < 2:
            continue
        series = []
        for name in job["results"]:
            points = [tables.find(job, name, **dict(zip(kind.keys, key, strict=True))) for key in members]
            series.append((name, [((point or {}).get(measure.member) or {}).get("median") for point in points]))
        words = [str(part) for part in group]
        file_name = "-".join([record["benchmark"], measure.member, *words]).replace(" ", "-")
        others = [name for name in kind.keys if name != kind.across]
        title = ", ".join([measure.title, *(f"{name}: {word}" for name, word in zip(others, words, strict=True))])
        made.append(Lines(file_name, title, [_key_text(kind.across, key[at]) for key in members], series, ""))
    return made
