"""Records as tables: one description of columns, shown in the terminal, in Markdown and in HTML."""

import html
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Table:
    title: str
    headers: list
    rows: list
    notes: list = field(default_factory=list)


def size_text(size):
    for unit, factor in (("MB", 1048576), ("KB", 1024)):
        if size >= factor and size % factor == 0:
            return f"{size // factor} {unit}"
    return f"{size} B"


def number(value):
    """Three digits that count."""
    if value is None:
        return "–"
    magnitude = abs(value)
    if magnitude >= 100:
        return f"{value:.0f}"
    if magnitude >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}"


def measured(spread):
    """The median over rounds, with half the distance between the extremes in percent."""
    if spread is None or spread.get("median") is None:
        return "–"
    middle = spread["median"]
    if len(spread.get("rounds", [])) < 2 or middle == 0:
        return number(middle)
    return f"{number(middle)} ±{50 * (spread['high'] - spread['low']) / abs(middle):.0f}%"


def name_of(record):
    """Of the benchmark, with the network on which it ran."""
    return record["benchmark"] + (f"-{record['link']}" if record.get("link") else "")


def _names(record, job):
    return [
        entry["name"]
        for entry in record["contenders"]
        if entry["name"] in job["results"] or entry["name"] in job["failures"]
    ]


def find(job, contender, **wanted):
    for point in job["results"].get(contender, {}).get("points", []):
        if all(point.get(key) == value for key, value in wanted.items()):
            return point
    return None


def best_peer(job, measure, larger_is_better=False, **wanted):
    """(name, median) of the best contender that is not ours, or None."""
    found = []
    for name in job["results"]:
        point = find(job, name, **wanted)
        if not name.startswith("vif") and point and point.get(measure, {}).get("median") is not None:
            found.append((point[measure]["median"], name))
    if not found:
        return None
    median, name = max(found) if larger_is_better else min(found)
    return name, median


def _ratio_cell(job, measure, larger_is_better, **wanted):
    ours = find(job, "vif", **wanted)
    peer = best_peer(job, measure, larger_is_better, **wanted)
    if not ours or not peer or ours[measure]["median"] is None or not peer[1]:
        return "–"
    return f"{ours[measure]['median'] / peer[1]:.2f} ({peer[0]})"


def _by_key(record, job, key, label, measure, larger_is_better=False, show=str):
    """Rows by one key member, a column for each contender, and our ratio to the best peer when there are peers."""
    names = _names(record, job)
    compare = "vif" in names and any(not name.startswith("vif") for name in names)
    values = []
    for name in names:
        for point in job["results"].get(name, {}).get("points", []):
            if point[key] not in values:
                values.append(point[key])
    rows = []
    for value in values:
        cells = [measured((find(job, name, **{key: value}) or {}).get(measure)) for name in names]
        if compare:
            cells.append(_ratio_cell(job, measure, larger_is_better, **{key: value}))
        rows.append([show(value), *cells])
    return [label, *names] + (["vif / best peer"] if compare else []), rows


def _failure_notes(job):
    return [f"{name} has no result here: {sentence}" for name, sentence in job["failures"].items()]


def _latency(record, job):
    headers, rows = _by_key(record, job, "size", "size", "one_way_us", show=size_text)
    return [Table("One-way latency (µs)", headers, rows)]


def _bandwidth(record, job):
    headers, rows = _by_key(record, job, "size", "size", "megabytes_per_second", True, size_text)
    return [Table(f"Bandwidth, {job['title']} (MB/s; more is better)", headers, rows)]


def _overlap(record, job):
    tables = []
    for side in ("receiver", "sender", "both"):
        rows = []
        for name in _names(record, job):
            for point in job["results"].get(name, {}).get("points", []):
                if point["side"] == side:
                    rows.append(
                        (
                            point["size"],
                            float(point["compute"]) if point["compute"] != "equal" else -1,
                            [
                                size_text(point["size"]),
                                point["compute"],
                                name,
                                number(point["ratio"]["median"]),
                                number(point["t_comm_us"]["median"]),
                                number(point["t_comp_us"]["median"]),
                                measured(point["t_both_us"]),
                                number(point["excess_us"]["median"]),
                                number(point["colour"]["median"]),
                            ],
                        )
                    )
        rows.sort(key=lambda row: row[:2])
        if rows:
            who = "both compute (exchange)" if side == "both" else f"{side} computes"
            tables.append(
                Table(
                    f"Overlap, {who}: {job['title']}",
                    [
                        "size",
                        "computation",
                        "library",
                        "ratio",
                        "t_comm µs",
                        "t_comp µs",
                        "t_both µs",
                        "excess µs",
                        "colour",
                    ],
                    [row[2] for row in rows],
                )
            )
    if tables:
        tables[-1].notes.append(
            "ratio = (t_comm + t_comp − t_both) / min: 1 is perfect, 0 none. excess = t_both − max. "
            "colour = excess / min: 0 is perfect, 1 none, above 1 worse than one after the other."
        )
    return tables


def _wait(record, job):
    tables = []
    for measure, title in (
        ("cpu_percent", "CPU burnt while waiting (% of the time waited)"),
        ("wake_us", "Back from the call after the other side's call (µs)"),
        ("futex_wake_us", "The same for a bare futex, wait by wait in turn (µs)"),
        ("wake_ratio", "Wake-up over bare futex"),
    ):
        headers, rows = _by_key(record, job, "operation", "operation", measure)
        tables.append(Table(title, headers, rows))
    return tables


def _oversubscribe(record, job):
    if job["arguments"].get("operations") == "none":
        names = _names(record, job)
        cells = [measured(job["results"][name]["wall_s"]) if name in job["results"] else "–" for name in names]
        return [
            Table(
                "Start, init and finalize (s of wall time)",
                ["ranks", *names],
                [[str(job["ranks"]), *cells]],
            )
        ]
    headers, rows = _by_key(record, job, "operation", "operation", "call_us")
    return [Table(f"Collectives with {job['ranks']} ranks (µs per call)", headers, rows)]


def _quiet(record, job):
    tables = []
    for measure, title in (
        ("slower_percent", "Slow-down with nothing pending, rank 0 (%)"),
        ("slower_percent_worst_rank", "Slow-down with nothing pending, worst rank (%)"),
    ):
        headers, rows = _by_key(record, job, "when", "library", measure)
        # A percentage near zero has no useful relative spread: show the extremes.
        for row in rows:
            for at, name in enumerate(_names(record, job)):
                spread = (find(job, name, when=row[0]) or {}).get(measure)
                if spread and spread["median"] is not None:
                    row[1 + at] = f"{spread['median']:+.3f} ({spread['low']:+.3f} … {spread['high']:+.3f})"
        keep = 1 + len(_names(record, job))
        tables.append(Table(title, headers[:keep], [row[:keep] for row in rows]))
    return tables


def _datatypes(record, job):
    tables = []
    for measure, title in (
        ("pack_ratio", "MPI_Pack over a loop written by hand (1 is as fast)"),
        ("unpack_ratio", "MPI_Unpack over a loop written by hand"),
        ("pack_us", "MPI_Pack (µs)"),
        ("message_us", "One message of the type, one way (µs)"),
        ("contiguous_us", "The same bytes as one contiguous message (µs)"),
    ):
        headers, rows = _by_key(record, job, "layout", "layout", measure)
        tables.append(Table(title, headers, rows))
    return tables


def _reactivity(record, job):
    tables = []
    for form in ("paced", "back to back"):
        rows = []
        for name in _names(record, job):
            for point in job["results"].get(name, {}).get("points", []):
                if point["form"] == form:
                    share = [point.get(part, {}).get("median") for part in ("compute_percent", "talk_percent")]
                    measures = [measured(point[part]) for part in ("mean_us", "p99_us", "p999_us", "max_us")]
                    middle = number(point["round_us"]["median"])
                    cells = [name, middle, *measures, *(number(value) for value in share)]
                    rows.append((point["threads"], [str(point["threads"]), *cells]))
        rows.sort(key=lambda row: row[0])
        headers = ["threads", "library", "median µs", "mean µs", "99 %", "99.9 %", "max", "compute %", "talk %"]
        if rows:
            tables.append(Table(f"Round trip of 4 bytes, {form}", headers, [row[1] for row in rows]))
    if tables:
        tables[-1].notes.append(
            "threads: that compute in each rank. compute %: what these got of the CPUs (or of as many CPUs as there "
            "are such threads); talk %: what the two ranks' own threads took of all CPUs."
        )
    return tables


def _interrupt(record, job):
    rows = []
    for point in job["results"].get("kernel", {}).get("points", []):
        latency = point.get("latency_us")
        cells = (
            [point["why"] if "why" in point else "not available here"] + ["not available here"] * 4
            if latency is None
            else [
                number(latency["min"]),
                number(latency["p10"]),
                measured(latency),
                number(latency["p95"]),
                number(latency["max"]),
            ]
        )
        rows.append([point["placement"], point["method"], *cells])
    return [
        Table(
            f"From sending to handler: {job['title']} (µs)",
            ["placement", "method", "min", "10 %", "median", "95 %", "max"],
            rows,
        )
    ]


_MAKERS = {
    "latency": _latency,
    "bandwidth": _bandwidth,
    "overlap": _overlap,
    "wait": _wait,
    "oversubscribe": _oversubscribe,
    "quiet": _quiet,
    "datatypes": _datatypes,
    "reactivity": _reactivity,
    "interrupt": _interrupt,
}


def _maker(benchmark):
    if benchmark == "collectives":
        from . import collective_tables  # which uses this module

        return collective_tables.of_job
    if benchmark.startswith("events-"):
        from . import event_tables  # which uses this module

        return event_tables.of_job
    if benchmark == "nbc":
        from . import nbc_tables  # likewise

        return nbc_tables.of_job
    return _MAKERS[benchmark]


def _join_same_titles(tables):
    """Start times of several rank counts are rows of one table."""
    joined = {}
    for table in tables:
        if table.title in joined and joined[table.title].headers == table.headers:
            joined[table.title].rows += table.rows
            joined[table.title].notes += table.notes
        else:
            joined.setdefault((table.title if table.title not in joined else table.title + " "), table)
    return list(joined.values())


def of_record(record):
    tables = []
    for job in record["jobs"]:
        made = _maker(record["benchmark"])(record, job)
        if made:
            made[-1].notes += _failure_notes(job)
        tables += made
    return _join_same_titles(tables)


def libraries(record, folders=True):
    """One line for each contender: what was really loaded, and from where on this machine if `folders`."""
    lines = []
    for entry in record["contenders"]:
        for job in record["jobs"]:
            result = job["results"].get(entry["name"])
            if result:
                path = result.get("library_file")
                origin = f" ({path if folders else Path(path).name})" if path else ""
                lines.append(f"{entry['name']}: {result['library']}{origin}")
                break
    return lines


def terminal(table):
    texts = [[str(cell) for cell in row] for row in [table.headers, *table.rows]]
    widths = [max(len(row[at]) for row in texts) for at in range(len(table.headers))]
    lines = [table.title]
    for index, row in enumerate(texts):
        paired = enumerate(zip(row, widths, strict=True))
        cells = [cell.ljust(width) if at == 0 else cell.rjust(width) for at, (cell, width) in paired]
        lines.append("  " + "  ".join(cells).rstrip())
        if index == 0:
            lines.append("  " + "  ".join("-" * width for width in widths))
    return "\n".join(lines + [f"  {note}" for note in table.notes])


def markdown(table):
    lines = [
        f"**{table.title}**",
        "",
        "| " + " | ".join(table.headers) + " |",
        "|" + "---|" * len(table.headers),
    ]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in table.rows]
    return "\n".join(lines + [""] + [f"{note}\n" for note in table.notes])


def html_table(table):
    head = "".join(f"<th>{html.escape(text)}</th>" for text in table.headers)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in table.rows
    )
    notes = "".join(f"<p class='note'>{html.escape(note)}</p>" for note in table.notes)
    return f"<h3>{html.escape(table.title)}</h3><table><tr>{head}</tr>{body}</table>{notes}"


__all__ = [
    "Table",
    "best_peer",
    "find",
    "html_table",
    "libraries",
    "markdown",
    "measured",
    "name_of",
    "number",
    "of_record",
    "size_text",
    "terminal",
]
