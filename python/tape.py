"""Traces of Tape as tables: pandas frames where pandas is there, else lists of
dicts.

    import tape
    with tape.Trace("prog.tico.tape") as t:
        e = t.events()
        print(e[e["class"] == "recv"].groupby("rank").duration_ns.sum())

Times are nanoseconds since the first event of the trace, in the trace's base
(t.base): "local", as each host's clock said, "global", one clock, or
"compensated", without the time that tracing took. Ranks are those of
MPI_COMM_WORLD (PVM: the numbers of the tasks in the trace), communicators their
identities, the same on all members. What the reader or a tool complains about is
raised as tape.Error, with its sentence.

Events come from the shared reader library, which stands where this module was
installed; messages, waits and the like are what tapedump and tapestat print.

A program that is traced names its parts:

    with tape.region("solve"):
        solve()
"""
import contextlib
import csv
import ctypes
import functools
import inspect
import io
import os
import subprocess

__all__ = ["Trace", "Error", "region"]

HERE = os.path.dirname(os.path.realpath(__file__))
# lib/python3/dist-packages/tape.py -> lib, bin
LIB = os.path.dirname(os.path.dirname(HERE))
BIN = os.path.join(os.path.dirname(LIB), "bin")
BASES = ["local", "global", "compensated"]
ROOM = 1 << 16


class Error(Exception):
    """What could not be read, and why: the reader's own sentence."""


class Columns(ctypes.Structure):
    """struct tape_columns of tape_reader.h"""

    names = [("start_ns", ctypes.c_int64), ("end_ns", ctypes.c_int64),
             ("call", ctypes.c_uint16), ("class", ctypes.c_uint16),
             ("site", ctypes.c_uint32), ("region", ctypes.c_uint32),
             ("peer", ctypes.c_int32), ("tag", ctypes.c_int32),
             ("bytes", ctypes.c_int64), ("comm", ctypes.c_uint64),
             ("calls", ctypes.c_int64)]
    _fields_ = [(name, ctypes.c_void_p) for name, _ in names]


class SiteInfo(ctypes.Structure):
    """struct tape_site_info, its first fields"""

    _fields_ = [("id", ctypes.c_uint32), ("call", ctypes.c_uint16),
                ("file", ctypes.c_char_p), ("line", ctypes.c_int),
                ("function", ctypes.c_char_p), ("module", ctypes.c_char_p),
                ("address", ctypes.c_uint64), ("symbol", ctypes.c_char_p),
                ("from_", ctypes.c_void_p)]


class RankInfo(ctypes.Structure):
    """struct tape_rank_info, its first fields"""

    _fields_ = [("rank", ctypes.c_int), ("host", ctypes.c_char_p),
                ("position", ctypes.c_char_p),
                ("pid", ctypes.c_long), ("domain", ctypes.c_uint32),
                ("tid", ctypes.c_int), ("parent", ctypes.c_int),
                ("former", ctypes.c_int), ("n_sites", ctypes.c_size_t),
                ("n_comms", ctypes.c_size_t), ("n_regions", ctypes.c_size_t),
                ("n_groups", ctypes.c_size_t),
                ("sites", ctypes.POINTER(SiteInfo)),
                ("comms", ctypes.c_void_p),
                ("regions", ctypes.POINTER(ctypes.c_char_p))]


class FlowInfo(ctypes.Structure):
    """struct tape_flow_info"""

    _fields_ = [("rank", ctypes.c_int), ("thread", ctypes.c_int),
                ("file", ctypes.c_char_p)]


@functools.lru_cache(maxsize=None)
def load():
    """The reader, with the types of what is used of it."""
    path = os.path.join(LIB, "libtape-reader.so.0")
    try:
        lib = ctypes.CDLL(path)
    except OSError as e:
        raise ImportError(f"tape: {e}") from None
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for name, result, *arguments in (
            ("tape_trace_open", ctypes.c_int, text, pointer),
            ("tape_trace_close", None, pointer),
            ("tape_trace_error", text, pointer),
            ("tape_trace_base", ctypes.c_int, pointer),
            ("tape_trace_ranks", ctypes.c_size_t, pointer),
            ("tape_trace_rank", ctypes.POINTER(RankInfo), pointer,
             ctypes.c_int),
            ("tape_trace_flows", ctypes.c_size_t, pointer),
            ("tape_trace_flow", ctypes.POINTER(FlowInfo), pointer,
             ctypes.c_size_t),
            ("tape_trace_damage", text, pointer, ctypes.c_size_t, pointer),
            ("tape_flow_open", ctypes.c_int, pointer, ctypes.c_size_t,
             pointer),
            ("tape_flow_close", None, pointer),
            ("tape_flow_error", text, pointer),
            ("tape_flow_columns", ctypes.c_int64, pointer, pointer, pointer,
             ctypes.c_size_t),
            ("tape_call_name", text, ctypes.c_uint),
            ("tape_class_name", text, ctypes.c_uint)):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


class Reader:
    """The reader's functions. A program with regions does not load it."""

    def __getattr__(self, name):
        function = getattr(load(), name)
        setattr(self, name, function)
        return function


lib = Reader()


class region(contextlib.ContextDecorator):
    """A region of the calling thread, in a with statement or around a function:

        with tape.region("solve"):
            solve()

        @tape.region("solve")
        def solve():
            ...

    It ends however the block ends, by an exception, too. Regions nest. Where
    the program is not traced nothing happens. Tasks of asyncio and generators
    take turns in one thread, so a region shall contain no await and no yield:
    a function that is a coroutine or a generator raises TypeError.
    """

    def __init__(self, name):
        self.name = str(name).encode("utf-8", "surrogateescape")
        if b"\0" in self.name:
            raise ValueError("tape: a region's name has a NUL")
        self.name = shared(self.name)

    def __call__(self, function):
        if (inspect.isgeneratorfunction(function)
                or inspect.iscoroutinefunction(function)
                or inspect.isasyncgenfunction(function)):
            raise TypeError("tape: a region around a coroutine or generator")
        return super().__call__(function)

    def __enter__(self):
        enter, _ = tracer()
        enter(self.name)
        return self

    def __exit__(self, *_):
        _, leave = tracer()
        leave()
        return False


@functools.lru_cache(maxsize=1 << 16)
def shared(name):
    """One object for each text: the tracer finds a name by its address."""
    return name


@functools.lru_cache(maxsize=None)
def tracer():
    """tape_enter and tape_leave of the tracer in this process, or functions
    that do nothing. The calls keep the interpreter lock: they are short."""
    process = ctypes.PyDLL(None)
    try:
        enter, leave = process.tape_enter, process.tape_leave
    except AttributeError:
        return lambda name: None, lambda: None
    enter.restype, enter.argtypes = None, [ctypes.c_char_p]
    leave.restype, leave.argtypes = None, []
    return enter, leave


def pandas():
    """pandas, or None where it is not installed."""
    try:
        import pandas
    except ImportError:
        return None
    return pandas


def string(s):
    return s.decode("utf-8", "replace") if s else ""


class Trace:
    """An open trace. Close it, or use it in a with statement."""

    def __init__(self, path):
        self.path = os.fspath(path)
        self.t = ctypes.c_void_p()
        if lib.tape_trace_open(os.fsencode(self.path), ctypes.byref(self.t)):
            sentence = string(lib.tape_trace_error(self.t))
            self.close()
            raise Error(sentence)
        self.base = BASES[lib.tape_trace_base(self.t)]
        self.ranks = lib.tape_trace_ranks(self.t)
        self.hosts = [string(lib.tape_trace_rank(self.t, r)[0].host)
                      for r in range(self.ranks)]
        self.positions = [string(lib.tape_trace_rank(self.t, r)[0].position)
                          for r in range(self.ranks)]
        self._first = None

    def close(self):
        if self.t:
            lib.tape_trace_close(self.t)
        self.t = ctypes.c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- events ----

    def _flow(self, flow):
        """One flow: {column: an array, or a list}, and what is wrong of it."""
        names = [name for name, _ in Columns.names]
        try:
            import numpy
        except ImportError:
            numpy = None
        parts = {name: [] for name in names}
        if numpy is not None:
            room = {name: numpy.empty(ROOM, dtype=kind)
                    for name, kind in Columns.names}
            where = [room[name].ctypes.data for name in names]
        else:
            room = {name: (kind * ROOM)() for name, kind in Columns.names}
            where = [ctypes.addressof(room[name]) for name in names]
        c = Columns(*where)
        f = ctypes.c_void_p()
        if lib.tape_flow_open(self.t, flow, ctypes.byref(f)):
            raise Error(string(lib.tape_trace_error(self.t)))
        wrong = None
        while True:
            n = lib.tape_flow_columns(self.t, f, ctypes.byref(c), ROOM)
            if n < 0:
                wrong = string(lib.tape_flow_error(f))
            if n <= 0:
                break
            for name in names:
                parts[name].append(room[name][:n].copy() if numpy is not None
                                   else list(room[name][:n]))
        lib.tape_flow_close(f)
        if numpy is not None:
            return {name: numpy.concatenate(p) if p
                    else numpy.empty(0, dtype=dict(Columns.names)[name])
                    for name, p in parts.items()}, wrong
        return {name: sum(p, []) for name, p in parts.items()}, wrong

    def _places(self, rank):
        """The call sites of a rank, "late.c:8", and its regions, by number."""
        r = lib.tape_trace_rank(self.t, rank)[0]
        sites, regions = [""], [""]
        for i in range(1, r.n_sites):
            s = r.sites[i]
            if s.file:
                sites.append(f"{os.path.basename(string(s.file))}:{s.line}")
            elif s.module:
                module = os.path.basename(string(s.module))
                sites.append(f"{module}+{s.address:#x}")
            else:
                sites.append("")
        regions += [string(r.regions[i]) for i in range(1, r.n_regions)]
        return sites, regions

    def first_ns(self):
        """The time of the first event, from which the others are counted."""
        if self._first is None:
            starts = [f["start_ns"][0] for f in
                      (self._flow(i)[0]
                       for i in range(lib.tape_trace_flows(self.t)))
                      if len(f["start_ns"])]
            self._first = int(min(starts)) if starts else 0
        return self._first

    def events(self, damaged_ok=False):
        """Every event: rank, thread, start_ns, end_ns, duration_ns, class, call,
        site, region, peer, tag, bytes, comm, calls.

        peer is a rank of MPI_COMM_WORLD, -1: none. calls: more than 1 where
        many calls are one event (tests that failed). A trace with damage
        raises tape.Error unless damaged_ok; then what can be read is there.
        """
        calls, classes, flows = {}, {}, []
        for i in range(lib.tape_trace_flows(self.t)):
            columns, wrong = self._flow(i)
            if wrong and not damaged_ok:
                raise Error(wrong)
            flows.append(columns)
        starts = [f["start_ns"][0] for f in flows if len(f["start_ns"])]
        self._first = int(min(starts)) if starts else 0
        for f in flows:
            for name, known, table in (("call", calls, lib.tape_call_name),
                                       ("class", classes,
                                        lib.tape_class_name)):
                for i in distinct(f[name]):
                    if i not in known:
                        known[i] = string(table(i)) \
                            if name == "class" or i else ""
        p = pandas()
        places = [self._places(r) for r in range(self.ranks)]
        # the same names in all, so that tables can be put together
        every = [sorted(set().union(*(x[k] for x in places)))
                 for k in (0, 1)]
        tables = [self._table(i, f, calls, classes, places, every, p)
                  for i, f in enumerate(flows)]
        if p:
            return p.concat(tables, ignore_index=True) if tables \
                else p.DataFrame()
        return sum(tables, [])

    def _table(self, flow, f, calls, classes, places, every, p):
        info = lib.tape_trace_flow(self.t, flow)[0]
        sites, regions = places[info.rank]
        if not p:
            return [dict(rank=info.rank, thread=info.thread,
                         start_ns=f["start_ns"][i] - self._first,
                         end_ns=f["end_ns"][i] - self._first,
                         duration_ns=f["end_ns"][i] - f["start_ns"][i],
                         **{"class": classes[f["class"][i]]},
                         call=calls[f["call"][i]], site=sites[f["site"][i]],
                         region=regions[f["region"][i]], peer=f["peer"][i],
                         tag=f["tag"][i], bytes=f["bytes"][i],
                         comm=f["comm"][i], calls=f["calls"][i])
                    for i in range(len(f["start_ns"]))]

        def names(numbers, table, unique=None):
            """Names as categories: one number for each event."""
            if isinstance(table, dict):
                table = [table.get(i, "") for i in range(max(table,
                                                             default=0) + 1)]
            unique = unique or sorted(set(table))
            code = {name: i for i, name in enumerate(unique)}
            codes = p.array([code[name] for name in table],
                            dtype="int32").to_numpy()[numbers]
            return p.Categorical.from_codes(codes, categories=unique)

        return p.DataFrame({
            "rank": info.rank, "thread": info.thread,
            "start_ns": f["start_ns"] - self._first,
            "end_ns": f["end_ns"] - self._first,
            "duration_ns": f["end_ns"] - f["start_ns"],
            "class": names(f["class"], classes),
            "call": names(f["call"], calls),
            "site": names(f["site"], sites, every[0]),
            "region": names(f["region"], regions, every[1]), "peer": f["peer"],
            "tag": f["tag"], "bytes": f["bytes"], "comm": f["comm"],
            "calls": f["calls"]})

    # ---- what tools know ----

    def _tool(self, name, *arguments):
        """A table that a tool prints as CSV."""
        command = [os.path.join(BIN, name), *arguments, self.path]
        try:
            run = subprocess.run(command, capture_output=True, check=False)
        except OSError as e:
            raise Error(f"{name}: {e.strerror}") from None
        if run.returncode:
            raise Error(string(run.stderr).strip() or f"{name} failed")
        text = io.StringIO(string(run.stdout))
        p = pandas()
        if p:
            table = p.read_csv(text)
            for name in table.select_dtypes(exclude="number"):
                table[name] = table[name].map(plain)
            return table
        return [{k: plain(number(v)) for k, v in row.items()}
                for row in csv.DictReader(text)]

    def messages(self):
        """Every message with both sides, as tapedump --messages -c prints them; its
        times as those of events()."""
        first, m = self.first_ns(), self._tool("tapedump", "--messages", "-c")
        times = ["sent_ns", "posted_ns", "end_ns"]
        if pandas():
            for name in times:
                m[name] -= first
            return m
        for row in m:
            for name in times:
                if row[name] != "":
                    row[name] -= first
        return m

    def table(self, name):
        """A table of tapestat: calls, names, regions, ranks, waits, causes, path, phases,
        messages, hosts, levels, positions, sizes or collectives."""
        return self._tool("tapestat", "-c", "-t", name)

    def waits(self):
        """Who waited where for whom: tapestat -t waits."""
        return self.table("waits")

    def regions(self):
        """Time by region: tapestat -t regions."""
        return self.table("regions")


def distinct(numbers):
    """Which are in a column."""
    if hasattr(numbers, "max"):
        import numpy
        return numpy.flatnonzero(numpy.bincount(numbers)).tolist()
    return set(numbers)


def plain(value):
    """A field of CSV without the apostrophe that keeps spreadsheets from
    taking it for a formula."""
    return value[1:] if isinstance(value, str) and value[:1] == "'" else value


def number(text):
    """A word of CSV as what it is."""
    for kind in (int, float):
        try:
            return kind(text)
        except (TypeError, ValueError):
            continue
    return text
