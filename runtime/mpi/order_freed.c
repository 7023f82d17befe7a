/*
 * Receives of any source that the program frees before they are complete; see
 * order_layer.h. The recorder keeps such a request until the receive is
 * complete, so that the record has its message. When the program frees another
 * one, the recorder tests a few of the requests that it keeps; so their number
 * stays small.
 */
#include <string.h>
#include <sys/mman.h>

#include "order_layer.h"
#include "silent_query.h"

enum { LOOKED_AT = 4 };

struct freed {
	MPI_Request request;
	uint64_t post; /* its number */
};

static struct freed *kept;
static size_t n_kept, room, next;

static int grow_list(void)
{
	size_t wanted = room ? 2 * room : 512;
	void *p = mmap(NULL, wanted * sizeof *kept, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return -1;
	if (room) {
		memcpy(p, kept, n_kept * sizeof *kept);
		munmap(kept, room * sizeof *kept);
	}
	kept = p;
	room = wanted;
	return 0;
}

/* Returns 1 if the request is complete, also with an error. */
static int query_request(MPI_Request request, MPI_Status *status)
{
#ifdef OPEN_MPI
	int flag = 0;

	status->MPI_ERROR = MPI_SUCCESS;
	PMPI_Request_get_status(request, &flag, status);
	return flag;
#else
	return tape_silent_query_status(request, status) == 1;
#endif
}

/* Ends the kept receive i if it is complete. Returns 1 then. */
static int end_receive(size_t i)
{
	MPI_Status status = {0};

	if (!query_request(kept[i].request, &status))
		return 0;
	tape_order_record_end(kept[i].post, &status);
	PMPI_Request_free(&kept[i].request);
	kept[i] = kept[--n_kept];
	return 1;
}

int tape_order_keep_freed(MPI_Request request, uint64_t post)
{
	for (int i = 0; i < LOOKED_AT && n_kept; i++) {
		next = next < n_kept ? next : 0;
		if (!end_receive(next))
			next++;
	}
	if (n_kept == room && grow_list())
		return -1;
	kept[n_kept++] = (struct freed){request, post};
	return 0;
}

void tape_order_end_freed(void)
{
	for (size_t i = 0; i < n_kept;)
		if (!end_receive(i))
			i++;
	for (size_t i = 0; i < n_kept; i++) {
		tape_order_record_end(kept[i].post, NULL);
		PMPI_Request_free(&kept[i].request);
	}
	n_kept = 0;
}
