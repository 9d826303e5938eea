"""What the event runtime and its allocator promise, beside what was measured. Without a measure there is no row."""

from .tables import best_peer, find, number


def _verdict(met):
    return "met" if met else "NOT MET"


def _jobs(records, benchmark):
    return [job for record in records if record["benchmark"] == benchmark for job in record["jobs"]]


def _points(job, name="vif"):
    return job["results"].get(name, {}).get("points", [])


def _alloc(records):
    rows = []
    for job in _jobs(records, "events-alloc"):
        local = [point for point in _points(job) if point["pattern"] != "cross"]
        if local:
            worst = max(local, key=lambda point: point["ticks"]["median"])
            ticks = worst["ticks"]["median"]
            where = f"{worst['pattern']}, {worst['size']} B"
            rows.append(["allocation and release on one core", "≤ 70 ticks", f"{number(ticks)} ({where})", ticks <= 70])
        for point in _points(job):
            peer = best_peer(job, "ticks", pattern=point["pattern"], size=point["size"])
            if point["pattern"] == "cross" and peer:
                promised = f"< best peer ({peer[0]}, {number(peer[1])} ticks)"
                ticks = point["ticks"]["median"]
                rows.append([f"allocation across cores, {point['size']} B", promised, number(ticks), ticks < peer[1]])
    return rows


def _works(records):
    rows = []
    for job in _jobs(records, "events-works"):
        for point in _points(job):
            wanted = {"work": point["work"], "cores": point["cores"]}
            rate = point["rate"]["median"]
            peer = best_peer(job, "rate", True, **wanted)
            what = f"{point['work']}, cores: {point['cores']}"
            if peer:
                promised = f"> best peer ({peer[0]}, {number(peer[1])} M/s)"
                # Rounds of one that lie among rounds of the other decide nothing.
                theirs, ours = find(job, peer[0], **wanted)["rate"], point["rate"]
                within = theirs["low"] <= ours["high"] and ours["low"] <= theirs["high"]
                ahead = rate > peer[1] or ("undecided" if within else False)
                rows.append([what, promised, f"{number(rate)} M/s" + (", within the spread" if within else ""), ahead])
    return rows


def _ablation(records):
    rows = []
    for job in _jobs(records, "events-ablation"):
        for point in _points(job):
            rows += _steps(job, {"work": point["work"], "cores": point["cores"]})
    return rows


def _steps(job, wanted):
    """The whole against the baseline, and every step against the one before."""
    what = f"{wanted['work']}, cores: {wanted['cores']}"
    steps = [*(name for name in job["results"] if name != "vif"), "vif"]
    rates = [find(job, name, **wanted)["rate"] for name in steps]
    gain = rates[-1]["median"] / rates[0]["median"]
    wants = 1.5 if wanted["work"] == "fan-out empty" else 0.97
    rows = [[f"{what}: all optimisations", f"≥ {wants} × the baseline", f"{gain:.2f} ×", gain >= wants]]
    losses, sure = [], False
    for before, after, name in zip(rates[:-1], rates[1:], steps[1:], strict=True):
        ratio = after["median"] / before["median"]
        if ratio < 0.97:
            # Rounds of the one that lie among rounds of the other: the spread is larger than the loss.
            within = after["high"] >= before["low"]
            losses.append(f"{name} {100 * (ratio - 1):+.0f} %" + (", within the spread" if within else ""))
            sure = sure or not within
    measured = "; ".join(losses) or "no step loses more"
    return rows + [
        [f"{what}: each optimisation", "loses at most 3 %", measured, not sure if sure or not losses else "undecided"]
    ]


def _wake(records):
    return [
        [f"wake-up after {point['pause_us']} µs", "≤ 1.2 × bare futex", f"{number(ratio)} ×", ratio <= 1.2]
        for job in _jobs(records, "events-wake")
        for point in _points(job)
        for ratio in [point["ratio"]["median"]]
    ]


def _waiting(records):
    rows = []
    for job in _jobs(records, "events-waiting"):
        for point in _points(job):
            spin = find(job, "vif:spin", work=point["work"], cores=point["cores"])
            if spin:
                ratio = point["rate"]["median"] / spin["rate"]["median"]
                what = f"learnt waiting, {point['work']}, cores: {point['cores']}"
                rows.append([what, "≥ 0.97 × never sleeping", f"{ratio:.2f} ×", ratio >= 0.97])
    return rows


def _batches(records):
    """The learnt batch beside the fixed one that is best for this work."""
    rows = []
    for job in _jobs(records, "events-batches"):
        for point in _points(job):
            wanted = {"work": point["work"], "cores": point["cores"]}
            fixed = {name: find(job, name, **wanted)["rate"] for name in job["results"] if name != "vif"}
            if point["cores"] == 1 or not fixed:
                continue
            best = max(fixed, key=lambda name: fixed[name]["median"])
            ratio = point["rate"]["median"] / fixed[best]["median"]
            within = point["rate"]["high"] >= fixed[best]["low"]
            what = f"learnt batches, {point['work']}, cores: {point['cores']}"
            measured = f"{ratio:.2f} ×" + (", within the spread" if ratio < 0.97 and within else "")
            met = ratio >= 0.97 or ("undecided" if within else False)
            rows.append([what, f"≥ 0.97 × the best fixed ({best.removeprefix('vif:')} events)", measured, met])
    return rows


def _idle(records):
    """Low load: hardly any CPU, and little more than sleeping at once where gaps are long beside a wake-up."""
    rows = []
    for job in _jobs(records, "events-idle"):
        for point in _points(job):
            period, cpu = point["period_us"], point["cpu_percent"]["median"]
            what = f"an event each {number(period / 1000)} ms, cores: {point['cores']}"
            sleep = find(job, "vif:sleep", period_us=period, cores=point["cores"])
            if period >= 1000:
                rows.append([what, "< 2 % CPU", f"{number(cpu)} %", cpu < 2])
            elif period >= 100 and sleep:
                at_once = sleep["cpu_percent"]["median"]
                promised = f"< 1.5 × sleeping at once ({number(at_once)} %)"
                rows.append([what, promised, f"{number(cpu)} %", cpu < 1.5 * at_once])
    return rows


def _stealing(records):
    """Where all colours belong to one of two cores, and handlers are long beside a theft; elsewhere it costs little."""
    rows = []
    for job in _jobs(records, "events-stealing"):
        for point in _points(job, "vif:steal"):
            wanted = {"work": point["work"], "cores": point["cores"]}
            plain = find(job, "vif", **wanted)
            if point["cores"] == 1 or not plain or point["work"].endswith("empty"):
                continue
            wants = 1.0 if "300ns" in point["work"] else 1.5
            wants = wants if point["work"].startswith("skewed") else 0.97
            gain = point["rate"]["median"] / plain["rate"]["median"]
            what = f"stealing, {point['work']}, cores: {point['cores']}"
            rows.append([what, f"≥ {wants} × without", f"{gain:.2f} ×", gain >= wants])
    return rows


def of_records(records):
    rows = _alloc(records) + _works(records) + _ablation(records) + _wake(records) + _waiting(records) + _idle(records)
    rows += _batches(records) + _stealing(records)
    return [[*row[:3], row[3] if isinstance(row[3], str) else _verdict(row[3])] for row in rows]
