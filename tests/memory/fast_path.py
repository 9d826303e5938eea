"""Requirements 26 and 27: no lock and no atomic read-modify-write on the fast paths of allocation and release.

It looks at the machine code of what programs call. What is called from there is the slow path, in another file.
"""

import re
import subprocess
import sys

FAST = ("allocate(unsigned long, unsigned long)", "allocate_for(unsigned short, unsigned long, unsigned long)")
FAST += ("release(void*)",)
LOCKED = re.compile(r"\t(?:lock\b|xchg\s.*\()")


def main(library):
    text = subprocess.run(
        ["objdump", "--disassemble", "--demangle", library], check=True, capture_output=True, text=True
    ).stdout
    bodies = {}
    for body in text.split("\n\n"):
        head = re.match(r"[0-9a-f]+ <(?P<name>.+)>:\n", body)
        if head:
            bodies[head["name"]] = body
    for name in FAST:
        body = bodies.get(f"vif::memory::{name}")
        if body is None:
            sys.exit(f"there is no vif::memory::{name} in {library}")
        locked = LOCKED.search(body)
        if locked:
            line = body[body.rfind("\n", 0, locked.start()) + 1 : body.find("\n", locked.end())]
            sys.exit(f"vif::memory::{name} has an atomic read-modify-write instruction: {line.strip()}")
        print(f"vif::memory::{name}: {body.count(chr(10))} lines of machine code, none locked")


main(sys.argv[1])
