"""The rules about the tree as a whole, and the exemptions."""

import datetime
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from style.rules import CPP_SUFFIXES, Finding

EXEMPTIONS = "scripts/style_exemptions.txt"
MODELS = "tests/model/README.md"
USES_ATOMS = re.compile(r"template\s*<[^>]*\bclass\s+Atoms\b")
MARKDOWN_LINK = re.compile(r"\[[^\]]*\]\((?!\w+:|#)([^)#\s]+)(?:#[^)]*)?\)")
SKIPPED_FOLDERS = re.compile(r"^(?:build.*|\..+|__pycache__)$")
TEXT_SUFFIXES = CPP_SUFFIXES | {".py", ".sh", ".cmake", ".md", ".txt", ".json", ".in", ".yml", ""}


def project_files(root):
    """The files that git tracks or would track; without git, all outside build folders. Paths relative to root."""
    try:
        listing = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "."],
            capture_output=True,
            check=True,
        ).stdout.decode()
        paths = [path for path in listing.split("\0") if path]
    except (OSError, subprocess.CalledProcessError):
        paths = []
    if not paths:
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if not SKIPPED_FOLDERS.match(name)]
            paths += [str((Path(folder) / name).relative_to(root)) for name in files]
    return sorted(path for path in set(paths) if (root / path).is_file() and Path(path).suffix in TEXT_SUFFIXES)


def check_layer_readmes(paths):
    """Each folder of src/ that holds code has a map."""
    layers = {path.split("/")[1] for path in paths if path.startswith("src/") and path.endswith((".cpp", ".hpp"))}
    for layer in sorted(layers):
        if f"src/{layer}/README.md" not in paths:
            yield Finding("readme", f"src/{layer}/README.md", 1, "missing: a map of the layer (concepts, files, tests)")


def check_models(root, paths):
    """Each header whose code is written against the atoms policy is named in the list of models."""
    if MODELS not in paths:
        return
    models = (root / MODELS).read_text()
    for path in paths:
        if not path.startswith("src/") or not path.endswith(".hpp"):
            continue
        name = path.removeprefix("src/")
        if USES_ATOMS.search((root / path).read_text()) and name not in models:
            yield Finding("model", path, 1, f"lock-free code without a model: {MODELS} does not name {name}")


def check_links(root, paths):
    """Each link of a document to a file of the tree leads somewhere."""
    for path in paths:
        if not path.endswith(".md"):
            continue
        text = re.sub(r"```.*?```", "", (root / path).read_text(), flags=re.DOTALL)
        for match in MARKDOWN_LINK.finditer(text):
            if not ((root / path).parent / match.group(1)).exists():
                yield Finding("link", path, 1, f"the link to {match.group(1)} leads nowhere")


def compile_alone(header, name, include_folders, language, compiler):
    command = [compiler, "-x", language, "-std=c11" if language == "c" else "-std=c++20", "-fsyntax-only", "-Wall"]
    command += ["-Wextra", "-Wpedantic", "-Werror"] + [f"-I{folder}" for folder in include_folders] + ["-"]
    result = subprocess.run(command, input=f"#include <{name}>\n", capture_output=True, text=True, check=False)
    if result.returncode != 0:
        first = (result.stderr.strip().split("\n") or ["no message"])[0]
        yield Finding("header", header, 1, f"does not compile alone as {language}: {first}")


def check_public_headers(include_folders, c_compiler, cxx_compiler):
    """Each public header compiles alone: .h in C and in C++, .hpp in C++."""
    for folder in include_folders:
        for header in sorted(Path(folder).rglob("*.h*")):
            name = header.relative_to(folder).as_posix()
            if header.suffix == ".h":
                yield from compile_alone(str(header), name, include_folders, "c", c_compiler)
            if header.suffix in (".h", ".hpp"):
                yield from compile_alone(str(header), name, include_folders, "c++", cxx_compiler)


@dataclass
class Exemption:
    rule: str
    path: str
    until: datetime.date
    line: int
    used: bool = False


def read_exemptions(text):
    """Lines of `rule path YYYY-MM-DD reason`. Returns the exemptions, and findings about lines that are none."""
    exemptions, findings = [], []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split(maxsplit=3)
        try:
            if len(words) < 4:
                raise ValueError("too few words")
            exemptions.append(Exemption(words[0], words[1], datetime.date.fromisoformat(words[2]), number))
        except ValueError:
            findings.append(Finding("exemption", EXEMPTIONS, number, "not of the form: rule path YYYY-MM-DD reason"))
    return exemptions, findings


def apply_exemptions(findings, exemptions, today):
    """Removes the exempted findings; adds one for each exemption that has expired or that nothing needs."""
    kept = []
    for finding in findings:
        match = next((e for e in exemptions if (e.rule, e.path) == (finding.rule, finding.path)), None)
        if match is None or finding.is_warning:
            kept.append(finding)
            continue
        match.used = True
        if match.until < today:
            kept.append(finding)
    for exemption in exemptions:
        if not exemption.used:
            text = f"{exemption.rule} {exemption.path} needs no exemption any more: remove the line"
            kept.append(Finding("exemption", EXEMPTIONS, exemption.line, text))
        elif exemption.until < today:
            text = f"the exemption of {exemption.path} from {exemption.rule} has expired on {exemption.until}"
            kept.append(Finding("exemption", EXEMPTIONS, exemption.line, text))
    return kept
