#!/usr/bin/env python3
"""Writes rest_wrong.c: each function of the table called with each of its arguments wrong in turn, the others good.

usage: rest_wrong.py src/mpi/abi/functions.csv OUTPUT

What is wrong with an argument follows from its type and its name, and so does the error class that the standard gives.
"""

import csv
import pathlib
import re
import sys

# They end the process, begin or end the library, or return no error code.
NOT_CALLED = re.compile(
    r"MPI_(Init|Init_thread|Finalize|Abort|T_init_thread|T_finalize|Pcontrol|Wtime|Wtick|Aint_add|Aint_diff|"
    r".*_toint|.*_fromint|Buffer_flush|(Comm_|Session_)?(flush_buffer))"
)

# Handles by value: a good one, the null handle, one that is no more, the classes.
HANDLES = {
    "MPI_Comm": ("comm", "MPI_COMM_NULL", "freed_comm()", "MPI_ERR_COMM"),
    "MPI_Group": ("group", "MPI_GROUP_NULL", "freed_group()", "MPI_ERR_GROUP"),
    "MPI_Datatype": ("MPI_INT", "MPI_DATATYPE_NULL", "freed_type()", "MPI_ERR_TYPE"),
    "MPI_Op": ("MPI_SUM", "MPI_OP_NULL", "freed_op()", "MPI_ERR_OP"),
    "MPI_Info": ("MPI_INFO_NULL", None, "freed_info()", "MPI_ERR_INFO, MPI_ERR_ARG"),
    "MPI_Win": ("win", "MPI_WIN_NULL", "freed_win()", "MPI_ERR_WIN"),
    "MPI_File": ("file", "MPI_FILE_NULL", "closed_file()", "MPI_ERR_FILE"),
    "MPI_Errhandler": (
        "MPI_ERRORS_RETURN",
        "MPI_ERRHANDLER_NULL",
        "freed_errhandler()",
        "MPI_ERR_ERRHANDLER, MPI_ERR_ARG",
    ),
    "MPI_Session": (
        "session",
        "MPI_SESSION_NULL",
        "ended_session()",
        "MPI_ERR_SESSION",
    ),
    "MPI_Request": (
        "persistent",
        "MPI_REQUEST_NULL",
        "freed_request()",
        "MPI_ERR_REQUEST",
    ),
    "MPI_Message": (
        None,
        "MPI_MESSAGE_NULL",
        "received_message()",
        "MPI_ERR_REQUEST, MPI_ERR_ARG",
    ),
    "MPI_T_cvar_handle": (
        "cvar",
        "MPI_T_CVAR_HANDLE_NULL",
        None,
        "MPI_T_ERR_INVALID_HANDLE",
    ),
    "MPI_T_pvar_handle": (
        "pvar",
        "MPI_T_PVAR_HANDLE_NULL",
        None,
        "MPI_T_ERR_INVALID_HANDLE",
    ),
    "MPI_T_pvar_session": (
        "pvars",
        "MPI_T_PVAR_SESSION_NULL",
        None,
        "MPI_T_ERR_INVALID_SESSION",
    ),
    "MPI_T_enum": (None, "MPI_T_ENUM_NULL", None, "MPI_T_ERR_INVALID_HANDLE"),
    "MPI_T_event_registration": (
        None,
        "(MPI_T_event_registration)0",
        None,
        "MPI_T_ERR_INVALID_HANDLE",
    ),
    "MPI_T_event_instance": (
        None,
        "(MPI_T_event_instance)0",
        None,
        "MPI_T_ERR_INVALID_HANDLE",
    ),
}

# Predefined handles that a function that ends an object must refuse.
LASTING = {"MPI_Comm": "MPI_COMM_WORLD", "MPI_Datatype": "MPI_INT", "MPI_Op": "MPI_SUM"}

# Integers by name: a good value, wrong ones, the classes.
COUNT = (
    "1",
    ["-1"],
    "MPI_ERR_COUNT, MPI_ERR_ARG, MPI_ERR_SIZE, MPI_ERR_DIMS, MPI_ERR_BUFFER",
)
RANK = ("0", ["5", "-77"], "MPI_ERR_RANK, MPI_ERR_ARG")
TAG = ("3", ["-77"], "MPI_ERR_TAG")
KEY = ("MPI_TAG_UB", ["MPI_KEYVAL_INVALID", "77777"], "MPI_ERR_KEYVAL, MPI_ERR_ARG")
ARGUMENT = ("1", ["-77"], "MPI_ERR_ARG")
INDEX = (
    "0",
    ["-1", "77777"],
    "MPI_T_ERR_INVALID_INDEX, MPI_T_ERR_INVALID_ITEM, MPI_T_ERR_INVALID",
)
INTEGERS = {
    **dict.fromkeys(
        "count sendcount recvcount incount outcount origin_count target_count result_count n length "
        "nnodes ndims blocklength partitions maxprocs indegree outdegree".split(),
        COUNT,
    ),
    **dict.fromkeys(
        "maxdims maxindegree maxoutdegree maxindex maxedges maxneighbors max_integers max_addresses "
        "max_large_counts max_datatypes".split(),
        ("8", ["-1"], "MPI_ERR_ARG, MPI_ERR_COUNT, MPI_ERR_DIMS"),
    ),
    **dict.fromkeys("dest source rank target_rank local_leader remote_leader".split(), RANK),
    **dict.fromkeys(
        "insize outsize".split(),
        ("64", ["-1"], "MPI_ERR_TRUNCATE, MPI_ERR_ARG, MPI_ERR_COUNT"),
    ),
    "root": ("0", ["5", "-77"], "MPI_ERR_ROOT"),
    **dict.fromkeys("tag sendtag recvtag".split(), TAG),
    **dict.fromkeys("keyval comm_keyval type_keyval win_keyval".split(), KEY),
    **dict.fromkeys(
        "cat_index cvar_index pvar_index event_index source_index element_index".split(),
        INDEX,
    ),
    "size": ("64", ["-77"], "MPI_ERR_ARG, MPI_ERR_SIZE, MPI_ERR_BUFFER, MPI_ERR_COUNT"),
    "target_disp": ("0", ["-77"], "MPI_ERR_DISP, MPI_ERR_ARG"),
    "disp_unit": ("1", ["-77"], "MPI_ERR_DISP, MPI_ERR_ARG"),
    "offset": ("0", [], ""),
    "partition": ("0", ["-1", "77"], "MPI_ERR_ARG"),
    "partition_low": ("0", ["-1", "77"], "MPI_ERR_ARG"),
    "partition_high": ("0", ["77"], "MPI_ERR_ARG"),
    "lock_type": ("MPI_LOCK_SHARED", ["4711"], "MPI_ERR_LOCKTYPE"),
    "assert": ("0", ["-1"], "MPI_ERR_ASSERT"),
    "whence": ("MPI_SEEK_SET", ["4711"], "MPI_ERR_ARG"),
    "amode": (
        "MPI_MODE_RDWR",
        ["0", "MPI_MODE_RDONLY | MPI_MODE_RDWR"],
        "MPI_ERR_AMODE",
    ),
    "color": ("0", ["-77"], "MPI_ERR_ARG"),
    "split_type": ("MPI_COMM_TYPE_SHARED", ["4711"], "MPI_ERR_ARG"),
    "order": ("MPI_ORDER_C", ["4711"], "MPI_ERR_ARG"),
    "typeclass": ("MPI_TYPECLASS_INTEGER", ["4711"], "MPI_ERR_ARG"),
    "direction": ("0", ["-1", "7"], "MPI_ERR_ARG, MPI_ERR_DIMS"),
    "var_class": ("MPI_T_PVAR_CLASS_COUNTER", [], ""),
    "errorclass": ("MPI_ERR_ARG", ["-5"], "MPI_ERR_ARG"),
    "errorcode": ("MPI_ERR_ARG", ["-5"], "MPI_ERR_ARG"),
    "valuelen": ("8", ["-1"], "MPI_ERR_ARG, MPI_ERR_INFO_VALUE"),
    "fd": ("-1", ["-1"], "any_error"),
    "logical_size": ("4", ["3"], "MPI_ERR_ARG"),
}
# They may have any value, or a wrong one cannot be seen.
ANY_INTEGER = set(
    "reorder high flag key commute len indx disp stride lb extent p r argc required level error cb_safety base "
    "offset".split()
)

# Arrays and buffers by name: a good value, other wrong ones than the null pointer (with their classes).
ARRAYS = {
    **dict.fromkeys(
        "sendcounts recvcounts array_of_blocklengths".split(),
        ("ones", ["negatives"], "MPI_ERR_COUNT, MPI_ERR_ARG"),
    ),
    **dict.fromkeys(
        "displs sdispls rdispls array_of_displacements array_of_starts".split(),
        ("zeros", [], ""),
    ),
    **dict.fromkeys(
        "dims array_of_sizes array_of_subsizes array_of_gsizes array_of_psizes".split(),
        ("ones", ["negatives"], "MPI_ERR_DIMS, MPI_ERR_ARG"),
    ),
    **dict.fromkeys("periods remain_dims coords".split(), ("zeros", [], "")),
    **dict.fromkeys("ranks ranks1".split(), ("zeros", ["far_ranks"], "MPI_ERR_RANK")),
    **dict.fromkeys(
        "sources destinations".split(),
        ("zeros", ["far_ranks"], "MPI_ERR_RANK, MPI_ERR_ARG"),
    ),
    "degrees": ("ones", ["negatives"], "MPI_ERR_ARG"),
    "indx": ("ones", ["negatives"], "MPI_ERR_ARG"),
    "edges": ("zeros", ["far_ranks"], "MPI_ERR_ARG, MPI_ERR_RANK"),
    "array_of_partitions": ("zeros", ["far_ranks"], "MPI_ERR_ARG"),
    "array_of_maxprocs": ("ones", ["negatives"], "any_error"),
    "array_of_distribs": ("zeros", ["far_ranks"], "MPI_ERR_ARG"),
    "array_of_dargs": ("ones", [], ""),
}
LARGE = {"ones": "large_ones", "zeros": "large_zeros", "negatives": "large_negatives"}

OUTPUTS = {
    "int": "ints_out",
    "MPI_Aint": "aints_out",
    "MPI_Count": "counts_out",
    "MPI_Offset": "(MPI_Offset*)counts_out",
}

# (function, argument): not asked, with the reason in the line.
UNASKED = [
    # MPI_UNWEIGHTED, MPI_ERRCODES_IGNORE, MPI_STATUS_IGNORE and their like are addresses that mean nothing.
    (
        r".*",
        r"array_of_errcodes|weights|sourceweights|destweights|array_of_statuses|argv|array_of_argv|argc",
    ),
    # State of the program that is only handed on; addresses that are only numbers.
    (r".*", r"extra_state|attribute_val_in|location|user_data|obj_handle"),
    # A null function means that nothing is to be done, in the standard's binary interface.
    (r".*(keyval.*|Keyval_create)", r".*_fn"),
    (r".*Register_datarep.*", r".*conversion_fn|extra_state"),
    # What the user does not want to know may be null.
    (r"MPI_T_.*_get_info|MPI_T_enum_get_item", r".*"),
    (r"MPI_T_(event|category|source)_.*", r"(?!name$|.*_index).*"),
    # Counters can only be read; what cannot be written anyway is not looked at.
    (r"MPI_T_pvar_(write|readreset)", r"buf"),
    # Its length may be zero.
    (r"MPI_Session_get_nth_pset", r"pset_name"),
    # A status takes any number.
    (r"MPI_Status_set_.*", r"source|tag"),
    # Of these there are none in the type that is asked about.
    (
        r"MPI_Type_get_contents.*",
        r"array_of_addresses|array_of_large_counts|max_addresses|max_large_counts",
    ),
]


class Argument:
    """One parameter: its declaration, a good value, and the attempts."""

    def __init__(self, function, declaration):
        match = re.fullmatch(r"(const )?(.+?)\s*(\**)(\w+)((\[[^\]]*\])*)", declaration)
        self.function = function
        self.constant = bool(match.group(1))
        self.type, self.name, self.brackets = (
            match.group(2),
            match.group(4),
            match.group(5),
        )
        self.stars = len(match.group(3)) + self.brackets.count("[")
        self.good = None
        self.attempts = []  # how, value, classes
        self.before = []  # declarations
        if self.stars == 0 and self.type in HANDLES:
            self.handle()
        elif self.stars == 0:
            self.integer()
        elif self.type in HANDLES:
            self.handles()
        elif self.type == "void":
            self.buffer()
        elif self.type == "char":
            self.text()
        else:
            self.array()
        # Null pointers only: a handle or an index is always asked about.
        if (self.stars or self.name in ("source", "tag")) and any(
            re.fullmatch(f, function) and re.fullmatch(a, self.name) for f, a in UNASKED
        ):
            self.attempts = []

    def wrong(self, how, value, classes):
        self.attempts.append((how, value, classes))

    def handle(self):
        self.good, null, freed, classes = HANDLES[self.type]
        name = self.function
        if self.type == "MPI_Comm":
            if re.search("[nN]eighbor_|Cart_|Cartdim", name) and "create" not in name and "map" not in name:
                self.good = "cart"
            elif re.search(r"Graph_(get|neigh)|Graphdims", name):
                self.good = "graph"
            elif "Dist_graph_neighbors" in name:
                self.good = "adjacent"
            elif re.search("Comm_remote|Intercomm_merge", name):
                self.good = None
        if "get_name" in name:
            null = None  # it has a name
        if "Type_get_contents" in name:
            self.good = "uncommitted"
        if name == "MPI_T_event_handle_alloc":
            freed = None  # there are no events, and so no info about them
        if re.search("Win_(attach|detach)", name):
            self.good = "dynamic"
        if self.type == "MPI_Info" and "MPI_Info_" in name:
            self.good, null = "info", "MPI_INFO_NULL"
        if self.type == "MPI_Win" and re.search("fence|lock$|lock_all|start|post|free", name):
            self.good = "idle_win"
        if self.type == "MPI_Request":
            if "Pready" in name:
                self.good = "psend"
            elif "Parrived" in name:
                self.good = "precv"
            elif "get_status" in name:
                null = None
        if self.type == "MPI_File" and "errhandler" in name:
            null = None  # the handler of files that are opened later
        if null is not None:
            self.wrong("the null handle", null, classes)
        if freed is not None:
            self.wrong("a handle that was freed", freed, classes)
        if self.type in LASTING or self.type in ("MPI_Win", "MPI_Group", "MPI_File"):
            self.wrong("no handle at all", f"({self.type})0x1f0f", classes)
        communicates = re.search(r"(comm|dest|source|target|fh)\b", PARAMETERS[name])
        if self.type == "MPI_Datatype" and communicates and not re.search("Pack_size|type_extent", name):
            self.wrong("a type that is not committed", "uncommitted", classes)

    def integer(self):
        if self.type.endswith("function") or self.type.endswith("_function_c") or "cb_function" in self.type:
            self.good = "NULL"
            return
        if self.type in ("MPI_T_cb_safety",):
            self.good = "MPI_T_CB_REQUIRE_NONE"
            return
        name = self.function
        if self.name in INTEGERS and not (self.name == "size" and "match" in name):
            self.good, values, classes = INTEGERS[self.name]
            if self.name == "disp" and "set_view" in name:
                values, classes = ["-77"], "MPI_ERR_ARG"
            if self.name == "rank" and "Cart_coords" not in name and "MPI_Win" in name:
                classes = "MPI_ERR_RANK"
            if self.name in ("n",) and "Info_get_nthkey" in name:
                self.good, values, classes = (
                    "0",
                    ["-1", "77"],
                    "MPI_ERR_ARG, MPI_ERR_INFO_NOKEY",
                )
            if self.name in ("n",) and "get_nth_pset" in name:
                self.good, values, classes = "0", ["-1", "77"], "MPI_ERR_ARG"
            if "call_errhandler" in name:
                values = []
            for value in values:
                self.wrong(f"= {value}", value, classes)
        elif self.name in ANY_INTEGER or self.name == "size":
            self.good = "1"
        else:
            sys.exit(f"{name}: what is the integer {self.name}? Say so in tests/mpi/rest_wrong.py.")

    def handles(self):
        _, null, freed, classes = HANDLES[self.type]
        name, variable = self.function, f"a_{self.name}"
        if self.brackets or self.stars > 1 or re.match("array_of", self.name):
            self.good = {
                "MPI_Datatype": "types",
                "MPI_Request": "requests",
                "MPI_Info": "infos",
            }[self.type]
            if not self.constant and self.type == "MPI_Datatype":
                self.good = "types_out"
            self.wrong("a null pointer", "NULL", f"{classes}, MPI_ERR_ARG")
            if self.type == "MPI_Datatype" and self.constant:
                self.wrong("null handles", "no_types", classes)
            return
        self.before.append(f"{self.type} {variable} = {null or 'MPI_INFO_NULL'};")
        self.good = f"&{variable}"
        if self.type == "MPI_Message" and "recv" in name:
            self.good = f"({variable} = matched_message(), &{variable})"
        self.wrong("a null pointer", "NULL", f"{classes}, MPI_ERR_ARG, MPI_T_ERR_INVALID")
        if self.type == "MPI_Request" and "recv" in name:
            return
        ends = re.search(
            r"_(free|disconnect|close|commit|finalize)$|MPI_(Cancel|Start|I?[mM]recv(_c)?|Wait|Test)$",
            name,
        )
        if not ends or (name.startswith("MPI_T_") and "free" not in name):
            return
        if not re.search("MPI_(Wait|Test)$", name):
            self.wrong(
                "the null handle",
                f"({variable} = {null or 'MPI_INFO_NULL'}, &{variable})",
                classes,
            )
        if freed is not None:
            self.wrong(
                "a handle that was freed",
                f"({variable} = {freed}, &{variable})",
                classes,
            )
        if self.type in LASTING and "commit" not in name:
            self.wrong(
                "a predefined handle",
                f"({variable} = {LASTING[self.type]}, &{variable})",
                classes,
            )

    def buffer(self):
        name = self.function
        self.good = "other_memory" if re.search("recv|result|out", self.name) else "memory"
        if self.name == "compare_addr":
            self.good = "target_memory"
        setting = re.search("set_attr|Attr_put", name)
        if setting or (self.name == "base" and re.search("Free_mem|Win_(create|attach|detach)", name)):
            return
        if re.search("_(end)$", name):
            return
        self.wrong("a null pointer", "NULL", "MPI_ERR_BUFFER, MPI_ERR_ARG, MPI_T_ERR_INVALID")

    def text(self):
        name = self.function
        if self.stars > 1:
            self.good = {
                "argv": "no_arguments",
                "array_of_commands": "commands",
                "array_of_argv": "no_arguments_list",
            }[self.name]
            if self.name == "array_of_commands":
                self.wrong("a null pointer", "NULL", "any_error")
            return
        if not self.constant:
            self.good = "text_out"
        else:
            self.good = {
                "datarep": '"native"',
                "filename": "path",
                "key": '"key"',
                "port_name": '"no port"',
                "pset_name": '"mpi://WORLD"',
            }.get(self.name, '"a text"')
            if "external" in name:
                self.good = '"external32"'
            if self.name == "datarep" and "Register" not in name:
                self.wrong(
                    "unknown",
                    '"no such representation"',
                    "MPI_ERR_ARG, MPI_ERR_UNSUPPORTED_DATAREP",
                )
        self.wrong("a null pointer", "NULL", "any_error")

    def array(self):
        name = self.function
        if self.type == "MPI_Status":
            self.good = "statuses"
            if self.constant or "Status_set" in name:
                self.wrong("a null pointer", "NULL", "MPI_ERR_ARG")
            return
        if self.type == "MPI_T_source_order":
            self.good = "NULL"
            return
        if "function" in self.type:
            self.good = {
                "query_fn": "nothing_query",
                "free_fn": "nothing_free",
                "cancel_fn": "nothing_cancel",
                "dtype_file_extent_fn": "nothing_extent",
            }.get(self.name, f"({self.type}*)(void*)no_operation")
            if "conversion" in self.name:
                self.good = "NULL"
            self.wrong("a null pointer", "NULL", "MPI_ERR_ARG")
            return
        if self.name == "ranges":
            self.good = "ranges"
            self.wrong("beyond the group", "far_ranges", "MPI_ERR_RANK, MPI_ERR_ARG")
            self.wrong("a null pointer", "NULL", "MPI_ERR_ARG, MPI_ERR_RANK")
            return
        if self.constant and self.name in ARRAYS:
            good, values, classes = ARRAYS[self.name]
            table = {
                "int": lambda v: v,
                "MPI_Aint": lambda v: "address_zeros",
                "MPI_Count": lambda v: LARGE[v],
            }[self.type]
            self.good = table(good)
            for value in values:
                if value in LARGE or self.type == "int":
                    self.wrong(
                        {"negatives": "negative", "far_ranks": "too large"}[value],
                        table(value),
                        classes,
                    )
            self.wrong("a null pointer", "NULL", "any_error")
            return
        self.good = OUTPUTS.get(self.type)
        if self.type == "int" and re.search("keyval", self.name):
            if "free" in name:
                self.before.append(f"int a_{self.name} = 77777;")
                self.good = f"&a_{self.name}"
                self.wrong("= 77777", self.good, "MPI_ERR_KEYVAL, MPI_ERR_ARG")
        if self.good is None:
            self.good = "NULL"
        self.wrong("a null pointer", "NULL", "MPI_ERR_ARG, MPI_T_ERR_INVALID")


PARAMETERS = {}


def attempts_of(function):
    """The attempts with one function, as the lines of a C function; none when there is nothing to be wrong."""
    name, parameters = function["name"], function["parameters"]
    if parameters == "void" or NOT_CALLED.fullmatch(name):
        return []
    arguments = [Argument(name, each.strip()) for each in parameters.split(",")]
    lines = []
    for place, argument in enumerate(arguments):
        if any(other.good is None for other in arguments if other is not argument):
            continue
        for how, value, classes in argument.attempts:
            values = [other.good for other in arguments]
            values[place] = value
            lines.append(f'  {"TRY_FREED" if "was freed" in how else "TRY"}("{name}", "{argument.name}", "{how}",')
            lines.append(f"      {name}({', '.join(values)}), {classes})")
    declarations = [f"  {line}" for argument in arguments for line in argument.before]
    declarations += [f"  (void){line.split()[1]};" for line in map(str.strip, list(declarations))]
    return declarations + lines if lines else []


def main():
    with open(sys.argv[1], newline="") as file:
        functions = list(csv.DictReader(file))
    PARAMETERS.update((function["name"], function["parameters"]) for function in functions)
    text, called = (
        ["/* Generated by tests/mpi/rest_wrong.py. */", '#include "rest_wrong.h"', ""],
        [],
    )
    for function in functions:
        lines = attempts_of(function)
        if lines:
            called.append(function["name"])
            text += [f"static void try_{function['name']}(void) {{", *lines, "}", ""]
    text += [
        "static void try_all(void) {",
        *(f"  try_{name}();" for name in called),
        "}",
        "",
    ]
    pathlib.Path(sys.argv[2]).write_text("\n".join(text))


if __name__ == "__main__":
    main()
