"""Which pictures a record gives, as plain data: report.py draws them as SVG, pictures.py as PNG."""

from dataclasses import dataclass

from .tables import name_of, size_text

SIDES = {
    "receiver": "the receiver computes",
    "sender": "the sender computes",
    "both": "both compute",
}


@dataclass
class HeatMap:
    name: str  # of the file
    title: str
    sizes: list
    computations: list
    values: dict  # (size, computation in µs) -> colour


@dataclass
class Lines:
    name: str
    title: str
    labels: list
    series: list  # [(contender, [value or None])]
    unit: str


def _file_name(*words):
    text = "-".join(words).replace(":", "-").replace(" ", "-").replace("=", "-").replace(",", "")
    return "".join(letter for letter in text if letter.isalnum() or letter in "-_.")


def _network(record):
    return [record["link"]] if record.get("link") else []


def _heat_maps(record):
    made = []
    for job in record["jobs"]:
        for side, words in SIDES.items():
            for name, result in job["results"].items():
                points = [point for point in result["points"] if point["side"] == side and point["compute"] != "equal"]
                values = {(point["size"], float(point["compute"])): point["colour"]["median"] for point in points}
                sizes = sorted({size for size, _ in values})
                computations = sorted({computation for _, computation in values})
                if len(values) >= 4:
                    made.append(
                        HeatMap(
                            _file_name(name_of(record), side, name),
                            f"{name}: {words}",
                            sizes,
                            computations,
                            values,
                        )
                    )
    return made


def _by_size(record, measure, what, unit):
    made = []
    for job in record["jobs"]:
        sizes = sorted({point["size"] for result in job["results"].values() for point in result["points"]})
        series = []
        for name, result in job["results"].items():
            known = {point["size"]: point[measure]["median"] for point in result["points"]}
            series.append((name, [known.get(size) for size in sizes]))
        if len(sizes) > 1:
            made.append(
                Lines(
                    _file_name(name_of(record), job["title"]),
                    what.format(job["title"]),
                    [size_text(size) for size in sizes],
                    series,
                    unit,
                )
            )
    return made


def _hidden_ratio(record):
    """Excess of the joint time, by size, for computations as long as the transfer."""
    made = []
    for job in record["jobs"]:
        for side, words in SIDES.items():
            sizes = sorted(
                {
                    point["size"]
                    for result in job["results"].values()
                    for point in result["points"]
                    if point["side"] == side and point["compute"] == "equal"
                }
            )
            series = []
            for name, result in job["results"].items():
                known = {
                    point["size"]: point["excess_us"]["median"]
                    for point in result["points"]
                    if point["side"] == side and point["compute"] == "equal"
                }
                series.append((name, [known.get(size) for size in sizes]))
            if len(sizes) > 1:
                made.append(
                    Lines(
                        _file_name(
                            "excess",
                            *_network(record),
                            side,
                            *(["alloc-mem"] if "MPI_Alloc_mem" in job["title"] else []),
                        ),
                        f"Time not hidden, {words} ({job['title']})",
                        [size_text(size) for size in sizes],
                        series,
                        "µs",
                    )
                )
    return made


def _ranks(record):
    made = []
    jobs = [job for job in record["jobs"] if job["arguments"].get("operations") != "none"]
    names = [entry["name"] for entry in record["contenders"]]
    for operation in ("barrier", "allreduce8", "allreduce64k", "alltoall8"):
        series = []
        for name in names:
            values = []
            for job in jobs:
                points = job["results"].get(name, {}).get("points", [])
                values += [point["call_us"]["median"] for point in points if point["operation"] == operation] or [None]
            series.append((name, values))
        if len(jobs) > 1:
            made.append(
                Lines(
                    _file_name("oversubscribe", operation),
                    f"{operation}: µs per call, by ranks",
                    [str(job["ranks"]) for job in jobs],
                    series,
                    "µs",
                )
            )
    return made


def _histograms(record):
    made = []
    for job in record["jobs"]:
        points = [point for point in job["results"].get("kernel", {}).get("points", []) if "histogram" in point]
        if not points:
            continue
        filled = max(at for point in points for at, count in enumerate(point["histogram"]) if count) + 1
        labels = [f"{at * points[0]['bin_ns'] / 1000:.1f}" if at % 4 == 0 else "" for at in range(filled)]
        series = [(f"{point['placement']}, {point['method']}", point["histogram"][:filled]) for point in points]
        made.append(
            Lines(
                _file_name("interrupt", job["title"]),
                f"From sending to handler (µs), counts in bins of {points[0]['bin_ns']} ns: {job['title']}",
                labels,
                series,
                "",
            )
        )
    return made


def _reactivity(record):
    """The paced form: mean and tail by the number of threads, each library beside the others."""
    made = []
    for job in record["jobs"]:
        threads = sorted({point["threads"] for result in job["results"].values() for point in result["points"]})
        for measure, words in (("mean_us", "mean"), ("p99_us", "99 %"), ("p999_us", "99.9 %")):
            series = []
            for name, result in job["results"].items():
                known = {
                    point["threads"]: point[measure]["median"] for point in result["points"] if point["form"] == "paced"
                }
                series.append((name, [known.get(count) for count in threads]))
            title = f"Paced round trip of 4 bytes, {words}, by computing threads in each rank"
            labels = [str(count) for count in threads]
            made.append(Lines(_file_name("reactivity", measure), title, labels, series, "µs"))
    return made


def of_record(record):
    benchmark = record["benchmark"]
    if benchmark.startswith("events-"):
        from . import event_tables  # which uses this module

        return event_tables.pictures_of(record)
    if benchmark == "overlap":
        return _heat_maps(record) + _hidden_ratio(record)
    if benchmark == "latency":
        return _by_size(record, "one_way_us", "One-way latency", "µs")
    if benchmark == "bandwidth":
        return _by_size(record, "megabytes_per_second", "Bandwidth, {}", "MB/s")
    if benchmark == "oversubscribe":
        return _ranks(record)
    if benchmark == "reactivity":
        return _reactivity(record)
    if benchmark == "interrupt":
        return _histograms(record)
    return []
