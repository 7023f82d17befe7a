/*
 * What a message costs on the machine that is simulated: as SimGrid's SMPI
 * would have it, by a platform's latency and bandwidth and SMPI's factors; or
 * by one of Tape's models of messages (doc/models.md).
 *
 *	c = sim_net_cost(&net, TAPE_NET, bytes);
 *
 * Times are ns. Without other messages under way; where links are shared, what
 * takes longer is work_ns of transit_ns (links.h).
 */
#ifndef SIM_NET_H
#define SIM_NET_H

#include <stdint.h>

#include "comm.h"
#include "size_factors.h"

/* When a message goes, and who waits for it. */
enum sim_protocol {
	SIM_EAGER,      /* it goes at once, its sender goes on */
	SIM_DETACHED,   /* its sender goes on; it goes when it is received */
	SIM_RENDEZVOUS  /* it goes when both are there, both wait */
};

struct sim_cost {
	enum sim_protocol protocol;
	/* its sender is busy so long, by MPI_Send or MPI_Isend; and the
	 * message, if it may, leaves so long after the call began */
	double send_ns, isend_ns;
	double leaves_ns, isend_leaves_ns;
	double transit_ns;      /* from when it goes until it is there */
	double work_ns;         /* a part of that: at full rate of its links */
	double take_ns;         /* its receiver is busy, once it is there */
};

/* How hosts are connected: those of a cluster, or one with itself. */
struct sim_route {
	double latency_s, bandwidth; /* bytes per second */
};

/* SMPI's way to send messages, with the values of SimGrid 3.32. */
struct sim_smpi {
	struct sim_route route[TAPE_DISTANCES];
	struct sim_factors latency, bandwidth; /* factors */
	struct sim_factors send, isend, recv;  /* overheads, smpi/os, ois, or */
	uint64_t eager_bytes;    /* smaller ones are: async-small-thresh */
	uint64_t detached_bytes; /* the same: send-is-detached-thresh */
	double tcp_gamma;        /* bytes: a window of TCP; 0: no bound */
	int shared;              /* links are */
	double link;             /* messages at full rate that a host's link
				  * carries; 0: one */
	double backbone;         /* messages at full rate that what all hosts
				  * share carries; 0: any number */
};

/* Remembers what was asked before: sizes come again and again. */
#define SIM_NET_KNOWN 256
struct sim_net {
	const struct sim_smpi *smpi;          /* or: */
	const struct tape_comm_model *model;
	uint64_t limit_bytes[TAPE_DISTANCES]; /* largest eager, of the model */
	double latency, bandwidth;            /* factors, > 0 */
	struct sim_net_known {
		uint64_t bytes;
		int set;
		struct sim_cost cost;
	} known[TAPE_DISTANCES][SIM_NET_KNOWN];
};

/* Sets a struct to SMPI's own values, without any route. */
void sim_smpi_set_defaults(struct sim_smpi *s);

/* A net of one of both; the other one is NULL. What it points at must stay. */
void sim_net_set(struct sim_net *n, const struct sim_smpi *smpi,
		 const struct tape_comm_model *model);

/*
 * A message of an MPI_Send or MPI_Isend. SMPI (SimGrid 3.32, Request::start
 * and finish_wait, NetworkCm02Model::communicate), with k = bytes + 16 for its
 * envelope:
 *
 *	transit = latency x factor(k)
 *	        + k / (min(bandwidth, gamma / (2 latency)) x factor(k))
 *
 * A model: transit and DC as doc/models.md has them; sending keeps its sender
 * busy as long as DC, the overhead of both ends being one (LogGP).
 */
const struct sim_cost *sim_net_cost(struct sim_net *n, enum tape_distance d,
				    uint64_t bytes);

/* The same of one that waits for its receive whatever its size (MPI_Ssend). */
void sim_net_ssend_cost(struct sim_net *n, enum tape_distance d, uint64_t bytes,
			struct sim_cost *c);

/* Do messages share links? */
int sim_net_is_shared(const struct sim_net *n);

#endif
