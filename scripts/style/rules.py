"""The rules that judge one file at a time. Each yields findings."""

import ast
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from style import cpp

FILE_LINES_WARNED = 200
FILE_LINES_REFUSED = 600
FUNCTION_LINES_REFUSED = 70
COLUMNS_REFUSED = 120

CPP_SUFFIXES = {".c", ".h", ".cpp", ".hpp"}
CODE_SUFFIXES = CPP_SUFFIXES | {".py", ".sh", ".cmake"}

# The layers in their order. A layer may include itself and those before it.
LAYERS = ["base", "machine", "memory", "data", "bell", "sched", "react", "net", "rpc", "coll", "rma", "mpi"]
# Layers beside the order, with what they may include.
SIDE_LAYERS = {
    "trace": {"base", "machine", "memory"},
    "launch": {"base", "machine"},
    "sim": {"base", "machine", "memory", "bell", "sched", "react", "net", "coll", "trace"},
}
TRACE_USERS = set(LAYERS[LAYERS.index("bell") :])
LAUNCH_USERS = {"net", "mpi"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
# A comment that says more ("handler, except the constructor") marks nothing: the functions are then marked one by one.
HANDLER_MARK = re.compile(r"^\s*//.*\bContext: handler\b(?!, except)")
# In a file that is marked at its top, a function of the application is named so above it.
APP_MARK = re.compile(r"^\s*//\s*(?:Context: app|App context)\b")
# A line that needs a banned call after all says why: // style: allow banned-call, because ...
ALLOWED_HERE = re.compile(r"//\s*style: allow (?P<rule>[a-z-]+), because \w+")

# What may not be called in a handler: allocation, locks, exceptions, output, sleeping (design: contexts).
BANNED_IN_HANDLER = [
    (r"(?<![\w.>:])(?:std::)?(?:malloc|calloc|realloc|aligned_alloc|posix_memalign|free|strdup)\s*\(", "allocation"),
    (r"(?<!operator )\bnew\b(?!\s*\()", "operator new"),
    (r"(?<!= )(?<!operator )\bdelete\b", "operator delete"),
    (r"\bstd::(?:make_(?:unique|shared)|to_string)\b|\bstd::string\b(?!\s*[&*:])", "allocation"),
    (r"\bstd::(?:vector|map|unordered_map|deque|list|function)\s*<[^;&]*>\s*[\w({]", "allocation"),
    # Not push_back and reserve: the project's own lists and rings, which do not allocate, have them too.
    (r"\.(?:emplace_back|emplace|resize)\s*\(", "allocation"),
    (r"(?<![\w.>])(?:std::)?(?:v?[fsd]?n?printf|puts|fputs|fwrite|fflush|fopen|perror|syslog)\s*\(", "stdio"),
    (r"\bstd::(?:cout|cerr|clog|endl)\b|\bfmt::", "stream output"),
    (r"\bstd::(?:(?:timed_|recursive_|shared_)?mutex|lock_guard|unique_lock|scoped_lock|shared_lock)\b", "a lock"),
    (r"\bstd::condition_variable|\bpthread_(?:mutex|cond|rwlock|spin)_\w+|\bsem_(?:timed)?wait\s*\(", "a lock"),
    (r"\bthrow\b|\btry\s*\{", "an exception"),
    (r"\b(?:u|nano|clock_nano)?sleep\s*\(|\bsleep_(?:for|until)\s*\(|\bsched_yield\s*\(", "sleeping"),
    (r"(?<![\w.>])(?:std::)?(?:getenv|setenv|exit|dlopen|dlsym|localtime|strtok|system|popen)\s*\(", "an unsafe call"),
]
BANNED_IN_HANDLER = [(re.compile(pattern), what) for pattern, what in BANNED_IN_HANDLER]

# The words are put together here so that this file is not found guilty of them.
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")
HOME = re.compile(r"(?<![\w.])(?:/home/(?!\$)\w|/ro" + r"ot/\w|/Users/\w)")


@dataclass(frozen=True)
class Finding:
    rule: str
    path: str
    line: int
    text: str
    is_warning: bool = False

    def __str__(self):
        level = "warning" if self.is_warning else "error"
        return f"{self.path}:{self.line}: {level}: {self.text} [{self.rule}]"


def layer_of(path):
    parts = PurePosixPath(path).parts
    return parts[1] if len(parts) > 2 and parts[0] == "src" else None


def may_include(layer):
    """The layers that `layer` may include, or None when it is no known layer."""
    if layer in SIDE_LAYERS:
        return SIDE_LAYERS[layer] | {layer}
    if layer not in LAYERS:
        return None
    allowed = set(LAYERS[: LAYERS.index(layer) + 1])
    if layer in TRACE_USERS:
        allowed.add("trace")
    if layer in LAUNCH_USERS:
        allowed.add("launch")
    return allowed


def line_at(text, offset):
    return text.count("\n", 0, offset) + 1


def check_layers(path, text):
    layer = layer_of(path)
    if layer is None or PurePosixPath(path).suffix not in CPP_SUFFIXES:
        return
    allowed = may_include(layer)
    if allowed is None:
        text = f"src/{layer} is no known layer: give it a place in scripts/style/rules.py"
        yield Finding("layer", path, 1, text)
        return
    known = set(LAYERS) | set(SIDE_LAYERS)
    for match in INCLUDE.finditer(text):
        line = line_at(text, match.start(1))
        first = PurePosixPath(match.group(1)).parts[0]
        if first in ("..", "."):
            yield Finding("layer", path, line, f'"{match.group(1)}" is relative: include it as "layer/file"')
        elif first in known and first not in allowed:
            names = ", ".join(name for name in LAYERS + sorted(SIDE_LAYERS) if name in allowed)
            yield Finding("layer", path, line, f"{layer} may not include {first}, only {names}")


def check_lines(path, text):
    suffix = PurePosixPath(path).suffix
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if suffix in CODE_SUFFIXES and len(line) > COLUMNS_REFUSED:
            yield Finding("line-length", path, number, f"{len(line)} columns; at most {COLUMNS_REFUSED}")
        if "\t" in line and suffix in CODE_SUFFIXES | {".md", ".txt", ".json"}:
            yield Finding("tab", path, number, "a tab; indent with spaces")
        if match := UNFINISHED.search(line):
            yield Finding("unfinished", path, number, f"{match.group(0)}: finish it or write it into an issue")
        if HOME.search(line):
            yield Finding("home", path, number, "the path of somebody's home directory")
    count = text.count("\n")
    if suffix in CODE_SUFFIXES and count > FILE_LINES_REFUSED:
        yield Finding("file-length", path, 1, f"{count} lines; at most {FILE_LINES_REFUSED}")
    elif suffix in CODE_SUFFIXES and count > FILE_LINES_WARNED:
        yield Finding("file-length", path, 1, f"{count} lines; better {FILE_LINES_WARNED}", is_warning=True)


def functions_of(path, text):
    suffix = PurePosixPath(path).suffix
    if suffix in CPP_SUFFIXES:
        for block in cpp.blocks(text):
            if block.kind == "function":
                yield block.name, block.first_line, block.lines
    elif suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def check_functions(path, text):
    try:
        for name, line, length in functions_of(path, text):
            if length > FUNCTION_LINES_REFUSED:
                yield Finding(
                    "function-length", path, line, f"{name} has {length} lines; at most {FUNCTION_LINES_REFUSED}"
                )
    except SyntaxError as error:
        yield Finding("syntax", path, error.lineno or 1, f"Python does not understand this file: {error.msg}")


def comment_above(lines, line):
    """The lines of the comment that ends just above `line`."""
    above = line - 2
    while above >= 0 and lines[above].lstrip().startswith("//"):
        above -= 1
    return lines[above + 1 : line - 1]


def handler_lines(text):
    """The numbers of the lines that run in a handler: all when the comment at the top of the file is marked."""
    lines = text.split("\n")
    top = next((index for index, line in enumerate(lines) if not line.startswith("//")), len(lines))
    whole_file = any(HANDLER_MARK.match(line) for line in lines[:top])
    marked = set(range(1, len(lines) + 1)) if whole_file else set()
    for block in cpp.blocks(text):
        comment = comment_above(lines, block.first_line)
        if any(HANDLER_MARK.match(line) for line in comment):
            marked.update(range(block.first_line, block.last_line + 1))
        elif block.first_line > top + 1 and any(APP_MARK.match(line) for line in comment):
            marked.difference_update(range(block.first_line, block.last_line + 1))
    return marked


def check_handlers(path, text):
    if PurePosixPath(path).suffix not in CPP_SUFFIXES or "Context: handler" not in text:
        return
    marked = handler_lines(text)
    lines = text.split("\n")
    code = cpp.without_comments(text)
    for pattern, what in BANNED_IN_HANDLER:
        for match in pattern.finditer(code):
            line = line_at(code, match.start())
            allowed = ALLOWED_HERE.search(lines[line - 1])
            if line in marked and not (allowed and allowed.group("rule") == "banned-call"):
                yield Finding("banned-call", path, line, f"'{match.group(0).strip()}' in handler code: {what}")


def check_file(path, text):
    for check in (check_layers, check_lines, check_functions, check_handlers):
        yield from check(path, text)
