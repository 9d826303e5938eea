"""A strict reader of Pajé traces: every event is defined, has its fields, comes in the order of time, and speaks of
containers that live, in types and values that exist."""

import shlex


class Broken(Exception):
    """The trace is not right; says in which line and why."""


NEEDED = {
    "PajeDefineContainerType": ("Alias", "Type", "Name"),
    "PajeDefineStateType": ("Alias", "Type", "Name"),
    "PajeDefineEventType": ("Alias", "Type", "Name"),
    "PajeDefineEntityValue": ("Alias", "Type", "Name", "Color"),
    "PajeCreateContainer": ("Time", "Alias", "Type", "Container", "Name"),
    "PajeDestroyContainer": ("Time", "Type", "Name"),
    "PajeSetState": ("Time", "Type", "Container", "Value"),
    "PajeNewEvent": ("Time", "Type", "Container", "Value"),
}


class Trace:
    def __init__(self, text):
        self.definitions = {}  # number -> (name, fields)
        self.types = {"0": None}  # alias -> alias of what it is in
        self.kinds = {}  # alias -> container, state, event
        self.values = set()  # (type, alias)
        self.alive = {"0": "0"}  # container -> its type
        self.names = {}  # container -> its name
        self.states = {}  # container -> [(time, value)]
        self.time = 0.0
        lines = text.splitlines()
        body = self._head(lines)
        for number, line in enumerate(lines[body:], body + 1):
            try:
                self._event(shlex.split(line))
            except (Broken, ValueError, KeyError, IndexError) as error:
                raise Broken(f"line {number}, {line!r}: {error}") from error
        if set(self.alive) != {"0"}:
            raise Broken(f"containers {sorted(self.alive)} are never destroyed")

    def _head(self, lines):
        name, fields = None, []
        for at, line in enumerate(lines):
            words = line.split()
            if not words or words[0][0] != "%":
                if name is not None:
                    raise Broken("a definition is not ended")
                return at
            if words[0] == "%EventDef":
                name, number, fields = words[1], words[2], []
            elif words[0] == "%EndEventDef":
                if tuple(field for field, _ in fields) != NEEDED[name] or number in self.definitions:
                    raise Broken(f"{name} is defined with {fields}")
                self.definitions[number] = (name, [field for field, _ in fields])
                name = None
            else:
                fields.append((words[1], words[2]))
        return len(lines)

    def _event(self, words):
        name, fields = self.definitions[words[0]]
        if len(words) != len(fields) + 1:
            raise Broken(f"{name} has {len(fields)} fields")
        field = dict(zip(fields, words[1:], strict=True))
        if "Time" in field:
            time = float(field["Time"])
            if time < self.time:
                raise Broken("time goes back")
            self.time = time
        getattr(self, name)(field)

    def _define(self, field, kind):
        if field["Type"] not in self.types or field["Alias"] in self.types:
            raise Broken("its type is not defined, or it is for the second time")
        self.types[field["Alias"]] = field["Type"]
        self.kinds[field["Alias"]] = kind

    def PajeDefineContainerType(self, field):
        self._define(field, "container")

    def PajeDefineStateType(self, field):
        self._define(field, "state")

    def PajeDefineEventType(self, field):
        self._define(field, "event")

    def PajeDefineEntityValue(self, field):
        colors = [float(part) for part in field["Color"].split()]
        if self.kinds[field["Type"]] != "state" or len(colors) != 3 or not all(0 <= part <= 1 for part in colors):
            raise Broken("it is no state with a colour")
        self.values.add((field["Type"], field["Alias"]))

    def PajeCreateContainer(self, field):
        inside = self.alive[field["Container"]]
        if self.kinds[field["Type"]] != "container" or self.types[field["Type"]] != inside:
            raise Broken("this type is not in that one")
        if field["Alias"] in self.alive:
            raise Broken("it lives already")
        self.alive[field["Alias"]] = field["Type"]
        self.names[field["Alias"]] = field["Name"]

    def PajeDestroyContainer(self, field):
        if self.alive.pop(field["Name"]) != field["Type"]:
            raise Broken("it is of another type")

    def PajeSetState(self, field):
        if (field["Type"], field["Value"]) not in self.values:
            raise Broken("there is no such value")
        if self.alive[field["Container"]] != self.types[field["Type"]]:
            raise Broken("the container has no such state")
        self.states.setdefault(field["Container"], []).append((self.time, field["Value"]))

    def PajeNewEvent(self, field):
        if self.kinds[field["Type"]] != "event" or self.alive[field["Container"]] != self.types[field["Type"]]:
            raise Broken("the container has no such event")
