# Calls of most families by mpi4py: objects and buffers, probes, collectives,
# persistent requests, communicators, windows and a file.
import sys
from array import array
from mpi4py import MPI


def say(*words):
	# in one piece: others print as well
	sys.stdout.write(" ".join(map(str, words)) + "\n")



world = MPI.COMM_WORLD
rank, size = world.rank, world.size
after, before = (rank + 1) % size, (rank - 1) % size

say(rank, "sendrecv", world.sendrecv({"from": rank}, dest=after))
request = world.isend(list(range(rank + 3)), dest=after, tag=7)
while not world.iprobe(source=before, tag=7):
	pass
say(rank, "recv", world.recv(source=before, tag=7))
request.wait()

mine, theirs = array("d", [rank] * 1000), array("d", [0] * 1000)
requests = [world.Irecv([theirs, MPI.DOUBLE], before, 8),
	    world.Isend([mine, MPI.DOUBLE], after, 8)]
MPI.Request.Waitall(requests)
say(rank, "irecv", sum(theirs))
again = [world.Recv_init([theirs, MPI.DOUBLE], before, 9),
	 world.Ssend_init([mine, MPI.DOUBLE], after, 9)]
for turn in range(3):
	MPI.Prequest.Startall(again)
	while not MPI.Request.Testall(again):
		pass
for request in again:
	request.Free()

say(rank, "bcast", world.bcast("text" if rank == 0 else None))
say(rank, "allreduce", world.allreduce(rank, op=MPI.MAX))
say(rank, "gather", world.gather(rank * rank))
say(rank, "alltoall", world.alltoall([rank * 10 + r for r in range(size)]))


def larger(a, b, datatype):
	b[:] = max(bytes(a), bytes(b))


own = MPI.Op.Create(larger, commute=True)
one, most = bytearray([rank] * 8), bytearray(8)
world.Allreduce([one, MPI.BYTE], [most, MPI.BYTE], op=own)
say(rank, "own operation", list(most))
own.Free()
total = array("d", [0])
world.Iallreduce([array("d", [rank]), MPI.DOUBLE],
		 [total, MPI.DOUBLE]).Wait()
say(rank, "iallreduce", total[0])

half = world.Split(rank % 2, rank)
say(rank, "split", half.rank, half.size, half.allreduce(1))
cart = world.Create_cart([size], periods=[True])
say(rank, "cart", cart.Shift(0, 1), cart.Get_coords(cart.rank))
half.Free()

window = MPI.Win.Allocate(8, 8, comm=world)
window.Fence()
window.Put([array("d", [rank]), MPI.DOUBLE], after)
window.Fence()
window.Lock(after)
window.Get([total, MPI.DOUBLE], after)
window.Unlock(after)
say(rank, "window", total[0])
world.Barrier()
window.Free()

file = MPI.File.Open(world, "numbers", MPI.MODE_CREATE | MPI.MODE_RDWR)
file.Write_at_all(rank * 8000, [mine, MPI.DOUBLE])
file.Sync()
world.Barrier()
file.Read_at(after * 8000, [theirs, MPI.DOUBLE])
say(rank, "file", sum(theirs), file.Get_size())
file.Close()
cart.Free()
