"""Medians and spread over rounds."""

import statistics


def spread(values):
    """{"median", "low", "high", "rounds"}; None where there is nothing to say."""
    values = [value for value in values if value is not None]
    if not values:
        return {"median": None, "low": None, "high": None, "rounds": []}
    return {
        "median": statistics.median(values),
        "low": min(values),
        "high": max(values),
        "rounds": values,
    }


def _is_measure(value):
    return isinstance(value, dict) and "median" in value


def _merge_member(name, values):
    first = values[0]
    if _is_measure(first):
        merged = spread([value["median"] for value in values])
        # Within one round: how far single samples lie apart; the median over rounds of each.
        for part in ("min", "p10", "p25", "p75", "p95", "max", "mean"):
            merged[part] = spread([value.get(part) for value in values])["median"]
        merged["samples"] = sum(value.get("count", 0) for value in values)
        return merged
    if isinstance(first, list):
        return [sum(column) for column in zip(*values, strict=True)]
    if isinstance(first, bool) or isinstance(first, str) or name in ("size", "threads", "window", "bin_ns"):
        return first
    return spread(values)


def points(lists, keys):
    """Merges the points of several runs of one program. A point that is missing in a run is merged from the others."""
    together = {}
    for one_run in lists:
        for point in one_run:
            together.setdefault(tuple(point.get(key) for key in keys), []).append(point)
    merged = []
    for same in together.values():
        names = [name for name in same[0] if all(name in point for point in same)]
        kept = {name: same[0][name] for name in names if name in keys}
        rest = {name: _merge_member(name, [point[name] for point in same]) for name in names if name not in keys}
        merged.append(kept | rest)
    return merged
