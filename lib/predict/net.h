/*
 * The cost of a message on the simulated machine: as in SimGrid's SMPI, from a
 * platform's latency and bandwidth and SMPI's factors, or by one of Tape's
 * models of messages (doc/models.md).
 *
 *	c = sim_net_cost(&net, TAPE_NET, bytes);
 *
 * Times are ns, without other messages in flight. Where messages share links,
 * only work_ns of transit_ns becomes longer (links.h).
 */
#ifndef SIM_NET_H
#define SIM_NET_H

#include <stdint.h>

#include "comm.h"
#include "size_factors.h"

/* When the transfer of a message starts, and which side blocks. */
enum sim_protocol {
	SIM_EAGER, /* starts at once; the sender does not block */
	/* starts when both sides are ready; the sender does not block */
	SIM_DETACHED,
	SIM_RENDEZVOUS /* starts when both sides are ready; both block */
};

struct sim_cost {
	enum sim_protocol protocol;
	/*
	 * Overhead of the sender in MPI_Send and MPI_Isend, and the time from
	 * the start of the call until the transfer can start.
	 */
	double send_ns, isend_ns;
	double send_start_ns, isend_start_ns;
	double transit_ns; /* from the start of the transfer to its end */
	/* the part of transit_ns at the full rate of the links */
	double work_ns;
	double recv_ns; /* overhead of the receiver, after the arrival */
};

/* The route between two hosts of a cluster, or within a host. */
struct sim_route {
	double latency_s, bandwidth; /* bytes per second */
};

/* SMPI's model of messages (SimGrid 3.32). */
struct sim_smpi {
	struct sim_route route[TAPE_DISTANCES];
	struct sim_factors latency, bandwidth; /* factors */
	/* overheads: smpi/os, smpi/ois, smpi/or */
	struct sim_factors send, isend, recv;
	/* smaller messages are eager: async-small-thresh */
	uint64_t eager_bytes;
	/* smaller messages are detached: send-is-detached-thresh */
	uint64_t detached_bytes;
	double tcp_gamma; /* window of TCP in bytes; 0: no limit */
	int shared;	  /* messages share links */
	/* messages at full rate that a host's link carries; 0: one */
	double link;
	/* messages at full rate that the backbone carries; 0: no limit */
	double backbone;
};

/* Size of the cache of costs: message sizes repeat. */
#define SIM_NET_KNOWN 256
struct sim_net {
	const struct sim_smpi *smpi;          /* or: */
	const struct tape_comm_model *model;
	/* largest eager message, of the model */
	uint64_t limit_bytes[TAPE_DISTANCES];
	double latency, bandwidth;            /* factors, > 0 */
	struct sim_net_known {
		uint64_t bytes;
		int set;
		struct sim_cost cost;
	} known[TAPE_DISTANCES][SIM_NET_KNOWN];
};

/* Sets *s to SMPI's default values, without any route. */
void sim_smpi_set_defaults(struct sim_smpi *s);

/*
 * Sets up a net with SMPI's model or one of Tape's; the other pointer is NULL.
 * The model must stay.
 */
void sim_net_set(struct sim_net *n, const struct sim_smpi *smpi,
		 const struct tape_comm_model *model);

/*
 * The cost of a message of MPI_Send or MPI_Isend. The result is valid until the
 * next call. SMPI (SimGrid 3.32, Request::start and finish_wait,
 * NetworkCm02Model::communicate), with k = bytes + 16 for its envelope:
 *
 *	transit = latency x factor(k)
 *	        + k / (min(bandwidth, gamma / (2 latency)) x factor(k))
 *
 * A model: transit and DC of doc/models.md. The sender's overhead is DC, too,
 * since both ends have the same overhead (LogGP).
 */
const struct sim_cost *sim_net_cost(struct sim_net *n, enum tape_distance d,
				    uint64_t bytes);

/* As above, for a synchronous send (MPI_Ssend). */
void sim_net_ssend_cost(struct sim_net *n, enum tape_distance d, uint64_t bytes,
			struct sim_cost *c);

/* Returns 1 if messages share links. */
int sim_net_is_shared(const struct sim_net *n);

#endif
