"""Says of each call of MPI where it stands, in the order of time, into the file
truth.RANK, and into results.RANK what does not depend on Tape. Python itself
knows the place: of the frame of the function that is running."""
import array
import asyncio
import os
import sys
import threading

from mpi4py import MPI

sys.path.insert(0, "elsewhere")
comm = MPI.COMM_WORLD
me, size = comm.rank, comm.size
right, left = (me + 1) % size, (me - 1) % size
truth = open(f"truth.{me}", "w", buffering=1, errors="surrogateescape")
results = open(f"results.{me}", "w", buffering=1)


def say(*words):
    print(*words, file=results)


def at(*calls):
    """The calls that come next are made in the line that says so."""
    frame = sys._getframe(1)
    file = os.path.basename(frame.f_code.co_filename)
    for call in calls:
        print(f"{call} {file}:{frame.f_lineno} {frame.f_code.co_qualname}",
              file=truth)


def test_calls():
    numbers, got = array.array("d", [me] * 4), array.array("d", [0] * 4)
    at("MPI_Barrier"); comm.Barrier()
    at("MPI_Allreduce"); comm.Allreduce(numbers, got)
    say("sum", got[0])
    at("MPI_Bcast"); comm.Bcast(numbers, root=0)
    at("MPI_Gather"); comm.Gather(numbers, None if me else
                                  array.array("d", [0] * 4 * size))
    at("MPI_Irecv"); r = comm.Irecv(got, source=left)
    at("MPI_Isend"); s = comm.Isend(numbers, dest=right)
    at("MPI_Waitall"); MPI.Request.Waitall([r, s])
    for i in range(3):
        at("MPI_Sendrecv"); comm.Sendrecv(numbers, right, 0, got, left, 0)


def test_objects():
    at("MPI_Isend"); s = comm.isend({"from": me}, dest=right)
    at("MPI_Mprobe", "MPI_Mrecv"); got = comm.recv(source=left)
    at("MPI_Wait"); s.wait()
    say("got", got)
    at("MPI_Bcast"); say("list", comm.bcast(["a list"] if not me else None))
    # an object that makes a call itself while it is pickled, by the root
    caller = Caller()
    comm.bcast(caller); at("MPI_Bcast")


class Caller:
    def __reduce__(self):
        at("MPI_Barrier"); MPI.COMM_SELF.Barrier()
        return str, ()

    def __enter__(self):
        at("MPI_Barrier"); comm.Barrier()

    def __exit__(self, *_):
        at("MPI_Barrier"); comm.Barrier()

    def __del__(self):
        at("MPI_Barrier"); MPI.COMM_SELF.Barrier()


def test_functions():
    def inner(depth):
        if depth:
            return inner(depth - 1)
        at("MPI_Barrier"); comm.Barrier()

    inner(40)
    (lambda: (at("MPI_Barrier"), comm.Barrier()))()
    [(at("MPI_Barrier"), comm.Barrier()) for _ in range(2)]
    with Caller():
        pass
    list(map(lambda x: (at("MPI_Barrier"), comm.Barrier()), range(2)))
    try:
        raise ValueError
    except ValueError:
        at("MPI_Barrier"); comm.Barrier()
    finally:
        at("MPI_Barrier"); comm.Barrier()
    for call in at, comm.Barrier:
        call(*["MPI_Barrier"] * (call is at))


def test_errors():
    try:
        at("MPI_Send"); comm.Send(array.array("d", [1]), dest=size)
    except MPI.Exception as e:
        say("error class", e.Get_error_class() == MPI.ERR_RANK)
        at("MPI_Barrier"); comm.Barrier()


def test_generators():
    def generate():
        for i in range(3):
            at("MPI_Barrier"); comm.Barrier()
            yield i
        at("MPI_Barrier"); comm.Barrier()

    for i in generate():
        at("MPI_Barrier"); comm.Barrier()
    a, b = generate(), generate()
    say("generated", list(zip(a, b)))
    a.close()


def test_tasks():
    async def task(name):
        for _ in range(3):
            at("MPI_Barrier"); comm.Barrier()
            await asyncio.sleep(0)
            at("MPI_Allreduce"); comm.Allreduce(
                array.array("i", [1]), array.array("i", [0]))
        return name

    async def main():
        at("MPI_Barrier"); comm.Barrier()
        return await asyncio.gather(*(task(i) for i in range(3)))

    say("tasks", asyncio.run(main()))


def test_elsewhere():
    import other
    other.call(at, comm)
    import grüße
    grüße.call(at, comm)


def test_made():
    """Code objects that come and go: many at the address of one before."""
    for i in range(200):
        code = compile("\n" * i + "at('MPI_Barrier'); comm.Barrier()",
                       "<made>", "exec")
        exec(code, {"at": at, "comm": comm})
        del code
    for i in range(50):
        text = "at('MPI_Barrier'); comm.Barrier()"
        exec(compile(text, f"<cell {i}>", "exec"), {"at": at, "comm": comm})
    for i in range(500): # always the same text
        exec("at('MPI_Barrier'); comm.Barrier()", {"at": at, "comm": comm})
    # far below in its file, and renamed
    exec("\n" * 70000 + "at('MPI_Barrier'); comm.Barrier()",
         {"at": at, "comm": comm})
    code = compile("at('MPI_Barrier'); comm.Barrier()", "a", "exec")
    exec(code.replace(co_filename="my file.py", co_qualname="a name"),
         {"at": at, "comm": comm})
    # without a name: the address; then at the same address with a name again
    code = compile("comm.Barrier()", "bare.py", "exec")
    exec(code.replace(co_filename=""), {"comm": comm})
    print("MPI_Barrier ?:? ?", file=truth)
    at("MPI_Barrier"); comm.Barrier()
    exec(code.replace(co_linetable=b""), {"comm": comm})
    print("MPI_Barrier bare.py:0 <module>", file=truth)


def test_threads():
    def work():
        at("MPI_Barrier"); comm.Barrier()
        test_calls()

    for _ in range(3):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()


def test_fork():
    child = os.fork()
    if not child:
        os._exit(comm.size)
    say("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == size)
    at("MPI_Barrier"); comm.Barrier()


test_calls()
test_objects()
test_functions()
test_errors()
test_generators()
test_tasks()
test_elsewhere()
test_made()
test_threads()
at("MPI_Barrier"); comm.Barrier()
