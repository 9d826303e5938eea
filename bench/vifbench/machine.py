"""What the machine is, and whether anything else was running on it while we measured."""

import os
import platform
import time
from pathlib import Path


def _read(path):
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def cpu_quota():
    """CPUs that the control group grants, or None when it does not limit them."""
    words = _read("/sys/fs/cgroup/cpu.max").split()
    if len(words) == 2 and words[0] != "max":
        return int(words[0]) / int(words[1])
    quota = _read("/sys/fs/cgroup/cpu/cpu.cfs_quota_us").strip()
    period = _read("/sys/fs/cgroup/cpu/cpu.cfs_period_us").strip()
    if quota and period and int(quota) > 0:
        return int(quota) / int(period)
    return None


def describe():
    """The facts that a reader needs to judge the figures."""
    model = "unknown"
    for line in _read("/proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    system = "unknown"
    for line in _read("/etc/os-release").splitlines():
        if line.startswith("PRETTY_NAME="):
            system = line.split("=", 1)[1].strip('"')
    memory_kb = 0
    for line in _read("/proc/meminfo").splitlines():
        if line.startswith("MemTotal:"):
            memory_kb = int(line.split()[1])
    return {
        "cpu": model,
        "usable_cpus": len(os.sched_getaffinity(0)),
        "cgroup_cpus": cpu_quota(),
        "virtual": "hypervisor" in _read("/proc/cpuinfo"),
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").strip() or "unknown",
        "kernel": platform.release(),
        "system": system,
        "memory_gb": round(memory_kb / 1048576, 1),
    }


def _process_ticks():
    """CPU ticks used so far by every process, by process id, with its name."""
    ticks = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        text = _read(f"/proc/{entry}/stat")
        if ")" not in text:
            continue
        name = text[text.index("(") + 1 : text.rindex(")")]
        fields = text[text.rindex(")") + 2 :].split()
        ticks[int(entry)] = (name, int(fields[11]) + int(fields[12]))
    return ticks


def busy_processes(before, after, seconds, ticks_per_second, own):
    """[(share of one CPU in percent, name)] of the processes that ran between the two pictures, the busiest first."""
    busy = []
    for process, (name, ticks) in after.items():
        if process == own:
            continue
        used = ticks - before.get(process, (name, 0))[1]
        share = 100.0 * used / ticks_per_second / seconds
        if share >= 5.0:
            busy.append((round(share), name))
    return sorted(busy, reverse=True)


def look(seconds=0.3):
    """One look at the machine while we do nothing: {"idle", "load", "busy", "sentence"}."""
    before = _process_ticks()
    start = time.monotonic()
    time.sleep(seconds)
    after = _process_ticks()
    busy = busy_processes(before, after, time.monotonic() - start, os.sysconf("SC_CLK_TCK"), os.getpid())
    load = os.getloadavg()[0]
    return judge(load, busy)


def judge(load, busy):
    """The load alone does not condemn: right after a benchmark it is ours and still decays."""
    total = sum(share for share, _ in busy)
    idle = total < 10
    if idle:
        sentence = f"The machine was idle (load {load:.2f})."
    else:
        names = ", ".join(f"{name} {share} %" for share, name in busy[:4])
        sentence = f"The machine was NOT idle: other processes used {total} % of a CPU ({names}; load {load:.2f})."
    return {
        "idle": idle,
        "load": load,
        "busy": [list(entry) for entry in busy],
        "sentence": sentence,
    }


def conditions(looks):
    """What several looks (before, between and after the rounds) say together."""
    bad = [entry for entry in looks if not entry["idle"]]
    if not bad:
        return {
            "idle": True,
            "sentence": "The machine was idle before, between and after the rounds.",
            "looks": looks,
        }
    worst = max(bad, key=lambda entry: sum(share for share, _ in entry["busy"]))
    sentence = f"{worst['sentence']} ({len(bad)} of {len(looks)} looks; treat the figures with care.)"
    return {"idle": False, "sentence": sentence, "looks": looks}
