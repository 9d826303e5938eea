"""Runs programs: one run with its time limit, and rounds in which the contenders take turns."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from . import event_suite, machine, merge, suite
from .contenders import ContenderError
from .peers import PeerError


class RunError(Exception):
    """One run failed; the message is a sentence for the table."""


def parse_document(text):
    """The JSON document in what a program printed. Launchers may print lines of their own before and after."""
    start = text.find("{")
    if start < 0:
        raise RunError("it printed no JSON document")
    try:
        document, _ = json.JSONDecoder().raw_decode(text[start:])
    except json.JSONDecodeError as error:
        raise RunError(f"its JSON document is broken ({error})") from error
    if "points" not in document:
        raise RunError("its JSON document has no points")
    return document


def end(process):
    """Ends a launcher and its ranks: politely, so that it can end them itself, then by force."""
    for number, patience in ((signal.SIGTERM, 3), (signal.SIGKILL, 3)):
        try:
            os.killpg(process.pid, number)
            process.communicate(timeout=patience)
            return
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            return


def clear(contender):
    """A launcher that was killed cannot end the ranks on its other host."""
    if getattr(contender, "network", None) is not None:
        contender.network.end_all()


def stop_on_signal():
    """A driver that is told to end must not leave ranks behind."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))


def run_once(contender, job):
    """Returns (document, wall seconds from start to end)."""
    program = contender.program(job.program)
    command = contender.command(job.ranks, program, job.argument_list())
    with tempfile.TemporaryFile("w+") as errors:
        start = time.monotonic()
        process = subprocess.Popen(
            command,
            env=contender.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=job.timeout)
        except subprocess.TimeoutExpired as error:
            end(process)
            clear(contender)
            raise RunError(f"no end after {job.timeout:.0f} s") from error
        except BaseException:
            end(process)
            clear(contender)
            raise
        wall = time.monotonic() - start
        errors.seek(0)
        complaint = [line for line in errors.read().splitlines() if line.strip()]
    if process.returncode != 0:
        last = complaint[-1].strip()[:200] if complaint else "no message"
        raise RunError(f"ended with code {process.returncode}: {last}")
    document = parse_document(output)
    if not contender.is_really(document):
        raise RunError(
            f"another library was loaded: {document.get('library', '')[:60]!r} from {document.get('library_file')}"
        )
    return document, wall


def keys_of(program):
    """The members that tell one point of a program from another."""
    for kind in event_suite.KINDS.values():
        if kind.program == program:
            return kind.keys
    return suite.KEYS[program]


def what_of(benchmark):
    kind = event_suite.KINDS.get(benchmark)
    return kind.what if kind else suite.BENCHMARKS[benchmark]


def run_job(job, contenders, rounds, say):
    """The rounds of one job. Returns its part of the record: merged results and failures by contender."""
    documents = {contender.name: [] for contender in contenders}
    walls = {contender.name: [] for contender in contenders}
    failures = {}
    for turn in range(rounds):
        # Another one begins each round, so that none is always first after the pause.
        order = contenders[turn % len(contenders) :] + contenders[: turn % len(contenders)]
        for contender in order:
            if contender.name in failures:
                continue
            say(f"  {job.title}: round {turn + 1} of {rounds}, {contender.name}")
            try:
                document, wall = run_once(contender, job)
            except (RunError, ContenderError, PeerError, OSError) as error:
                failures[contender.name] = str(error)
                say(f"  {contender.name} drops out of this part: {error}")
                continue
            documents[contender.name].append(document)
            walls[contender.name].append(wall)
    keys = keys_of(job.program)
    results = {}
    for name, list_of_documents in documents.items():
        if not list_of_documents:
            continue
        first = list_of_documents[0]
        results[name] = {
            "library": first["library"].strip().splitlines()[0],
            "library_file": first.get("library_file"),
            "rounds": len(list_of_documents),
            "wall_s": merge.spread(walls[name]),
            "points": merge.points([document["points"] for document in list_of_documents], keys),
        }
    return {
        "title": job.title,
        "program": job.program,
        "ranks": job.ranks,
        "arguments": job.arguments,
        "results": results,
        "failures": failures,
    }


def run_benchmark(benchmark, jobs, contenders, rounds, say):
    """All jobs of a benchmark, with looks at the machine before, between and after. Returns the record."""
    looks = [machine.look()]
    parts = []
    for job in jobs:
        parts.append(run_job(job, contenders, rounds, say))
        looks.append(machine.look())
    network = getattr(contenders[0], "network", None)
    return {
        "benchmark": benchmark,
        "link": network.kind if network else None,
        "what": what_of(benchmark) + (f"; {network.words}" if network else ""),
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": machine.describe(),
        "conditions": machine.conditions(looks),
        "rounds": rounds,
        "contenders": [
            {
                "name": contender.name,
                "library": contender.library,
                "settings": contender.settings,
            }
            for contender in contenders
        ],
        "jobs": parts,
    }
