"""Just enough reading of C and C++ for the style rules: text without comments, and the extent of functions.

This is no parser. It matches braces and looks at the words before each one, which is right for code in the project's
format; a function that it does not recognise is not judged.
"""

import re
from dataclasses import dataclass

# Comments, raw strings, strings, characters (but not the separators of 1'000).
TOKEN = re.compile(
    r'//(?:\\\n|[^\n])*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\'',
    re.DOTALL,
)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
# Words that say nothing about what a brace opens.
NOISE = re.compile(
    r"\b(?:public|private|protected)\s*:(?!:)|alignas\s*\([^()]*\)|\[\[.*?\]\]|__attribute__\s*\(\(.*?\)\)", re.DOTALL
)
SCOPE = re.compile(r'^(?:inline\s+)?namespace\b|^extern\s*"\s*"\s*$')
TYPE = re.compile(r"\b(?:class|struct|union)\b[^()]*$")
FUNCTION = re.compile(r"\)\s*(?:(?:const|noexcept|override|final|mutable|volatile|try|&&?)\s*)*(?:->[^;{}]*)?$")
FUNCTION_NOEXCEPT_IF = re.compile(r"\bnoexcept\s*\(.*\)\s*(?:override|final)?\s*$", re.DOTALL)
MEMBERS_INITIALISED = re.compile(r"\)\s*(?:noexcept\s*)?(?<!:):(?!:)")
NAME = re.compile(r"(operator\s*[^\s(]+|operator\s*\(\s*\)|[~\w:]+)\s*(?:<[^()]*>)?\s*\(")


@dataclass
class Block:
    """A function, a type or a namespace with its braces. Lines count from 1."""

    kind: str  # "function", "type" or "scope"
    name: str
    first_line: int
    last_line: int

    @property
    def lines(self):
        return self.last_line - self.first_line + 1


def blank(text):
    """Spaces of the same length, with the same line ends."""
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """The text with comments and the contents of strings replaced by spaces: every offset stays the same."""

    def replace(match):
        token = match.group(0)
        if token.startswith(("/", "R")):
            return blank(token)
        return token[0] + blank(token[1:-1]) + token[-1]

    return TOKEN.sub(replace, text)


def without_template(head):
    """The head of a declaration without a leading `template <...>`."""
    while re.match(r"template\s*<", head):
        depth = 0
        for index, character in enumerate(head):
            depth += (character == "<") - (character == ">")
            if character == ">" and depth == 0:
                head = head[index + 1 :].lstrip()
                break
        else:
            return head
    return head


def kind_of(head):
    """What the brace after these words opens: function, type, scope, member (an initialiser), or other."""
    head = without_template(" ".join(NOISE.sub(" ", head).split()))
    if SCOPE.search(head):
        return "scope"
    if re.search(r"\benum\b", head) and "(" not in head:
        return "other"
    if TYPE.search(head):
        return "type"
    if MEMBERS_INITIALISED.search(head):
        return "function" if head.endswith((")", "}")) else "member"
    if FUNCTION.search(head) or FUNCTION_NOEXCEPT_IF.search(head):
        return "function"
    return "other"


def closing_brace(text, opening):
    """The offset of the brace that closes the one at `opening`, or of the end of the text."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, opening):
        depth += 1 if match.group(0) == "{" else -1
        if depth == 0:
            return match.start()
    return len(text) - 1


def function_name(head):
    match = NAME.search(without_template(" ".join(NOISE.sub(" ", head).split())))
    return match.group(1) if match else "(unnamed)"


def blocks(text):
    """The functions, types and namespaces of a file. Functions inside functions are not listed."""
    text = PREPROCESSOR.sub(lambda match: blank(match.group(0)), without_comments(text))
    found = []
    head_start = 0
    position = 0
    delimiter = re.compile(r"[{};]")
    while match := delimiter.search(text, position):
        position = match.end()
        if match.group(0) != "{":
            head_start = position
            continue
        head = text[head_start : match.start()]
        kind = kind_of(head)
        closing = closing_brace(text, match.start())
        if kind == "member":
            # An initialiser of a constructor: the declaration goes on behind it.
            text = text[: match.start()] + "()" + blank(text[match.start() + 2 : closing + 1]) + text[closing + 1 :]
            position = head_start
            continue
        if kind != "other":
            # Access labels and blank lines before the declaration do not belong to it.
            lead = re.match(r"(?:\s*(?:public|private|protected)\s*:(?!:))?\s*", head).end()
            first_line = text.count("\n", 0, head_start + lead) + 1
            last_line = text.count("\n", 0, closing) + 1
            found.append(Block(kind, function_name(head) if kind == "function" else "", first_line, last_line))
        if kind in ("function", "other"):
            position = closing + 1
        head_start = position
    return found
