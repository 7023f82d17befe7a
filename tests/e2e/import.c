/*
 * An archive as other tracers write it, of two ranks: ticks of 10 ns, clock
 * offsets, a persistent message, a barrier in the background, names of Fortran,
 * a message outside of calls.
 */
#include <otf2/otf2.h>
static OTF2_FlushType always(void *o, OTF2_FileType t, OTF2_LocationRef l,
			     void *c, bool f)
{
	(void)t;
	(void)l;
	(void)c;
	(void)f;
	return OTF2_FLUSH;
}
static const OTF2_FlushCallbacks fl = {always, NULL};
int main(void)
{
	OTF2_Archive *a = OTF2_Archive_Open(
	    "w.otf2", "traces", OTF2_FILEMODE_WRITE, 1 << 18, 1 << 22,
	    OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	OTF2_Archive_SetFlushCallbacks(a, &fl, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(a);
	OTF2_Archive_SetCreator(a, "test");
	OTF2_Archive_OpenEvtFiles(a);
	uint64_t n[2];
	for (int r = 0; r < 2; r++) {
		OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 10 + r);
		uint64_t t = 1000 + 500 * r;
#define E(x) OTF2_EvtWriter_Enter(w, NULL, t += 100, x)
#define L(x) OTF2_EvtWriter_Leave(w, NULL, t += 100, x)
		E(0);
		L(0);
		E(1);
		if (r == 0)
			OTF2_EvtWriter_MpiIsend(w, NULL, t + 10, 1, 0, 7, 64,
						5);
		else
			OTF2_EvtWriter_MpiIrecvRequest(w, NULL, t + 10, 5);
		L(1);
		E(2);
		OTF2_EvtWriter_NonBlockingCollectiveRequest(w, NULL, t + 10, 6);
		L(2);
		E(3);
		if (r == 0)
			OTF2_EvtWriter_MpiIsendComplete(w, NULL, t + 90, 5);
		else
			OTF2_EvtWriter_MpiIrecv(w, NULL, t + 90, 0, 0, 7, 64,
						5);
		OTF2_EvtWriter_NonBlockingCollectiveComplete(
		    w, NULL, t + 95, OTF2_COLLECTIVE_OP_BARRIER, 0,
		    OTF2_UNDEFINED_UINT32, 0, 0, 6);
		L(3);
		if (r == 0)
			OTF2_EvtWriter_MpiSend(w, NULL, t += 10, 1, 0, 8, 32);
		else
			OTF2_EvtWriter_MpiRecv(w, NULL, t += 10, 0, 0, 8, 32);
		E(4);
		L(4);
		OTF2_EvtWriter_GetNumberOfEvents(w, &n[r]);
		OTF2_Archive_CloseEvtWriter(a, w);
	}
	OTF2_Archive_CloseEvtFiles(a);
	OTF2_Archive_OpenDefFiles(a);
	for (int r = 0; r < 2; r++) {
		OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(a, 10 + r);
		OTF2_DefWriter_WriteClockOffset(d, 0, -400 * r, 0);
		OTF2_DefWriter_WriteClockOffset(d, 100000, -400 * r, 0);
		OTF2_Archive_CloseDefWriter(a, d);
	}
	OTF2_Archive_CloseDefFiles(a);
	OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(a);
	OTF2_GlobalDefWriter_WriteClockProperties(g, 100000000, 0, 100000,
						  OTF2_UNDEFINED_TIMESTAMP);
	const char *s[] = {"",
			   "MPI_Init",
			   "MPI_Startall",
			   "MPI_Ibarrier",
			   "mpi_waitall_",
			   "MPI_Finalize",
			   "node",
			   "hostA",
			   "MPI_COMM_WORLD",
			   "p"};
	for (int i = 0; i < 10; i++)
		OTF2_GlobalDefWriter_WriteString(g, i, s[i]);
	for (int i = 0; i < 5; i++)
		OTF2_GlobalDefWriter_WriteRegion(
		    g, i, i + 1, i + 1, 0, OTF2_REGION_ROLE_FUNCTION,
		    OTF2_PARADIGM_MPI, 0, OTF2_UNDEFINED_STRING, 0, 0);
	OTF2_GlobalDefWriter_WriteSystemTreeNode(
	    g, 0, 7, 6, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (int r = 0; r < 2; r++) {
		OTF2_GlobalDefWriter_WriteLocationGroup(
		    g, r, 9, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
		    OTF2_UNDEFINED_LOCATION_GROUP);
		OTF2_GlobalDefWriter_WriteLocation(
		    g, 10 + r, 9, OTF2_LOCATION_TYPE_CPU_THREAD, n[r], r);
	}
	uint64_t l[] = {10, 11}, m[] = {0, 1};
	OTF2_GlobalDefWriter_WriteGroup(g, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
					OTF2_PARADIGM_MPI, 0, 2, l);
	OTF2_GlobalDefWriter_WriteGroup(g, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP,
					OTF2_PARADIGM_MPI, 0, 2, m);
	OTF2_GlobalDefWriter_WriteComm(g, 0, 8, 1, OTF2_UNDEFINED_COMM, 0);
	OTF2_Archive_Close(a);
}
