/* See net.h. */
#include <math.h>
#include <string.h>

#include "hash_bits.h"
#include "net.h"

/* Bytes that SMPI adds to each message. */
#define ENVELOPE 16

/* Defaults of SimGrid 3.32, as smpirun sets it up. */
#define DETACHED 65536
#define TCP_GAMMA 4194304
#define BANDWIDTH_FACTORS "65472:0.940694;15424:0.697866;9376:0.58729;" \
	"5776:1.08739;3484:0.77493;1426:0.608902;732:0.341987;257:0.338112;" \
	"0:0.812084"
#define LATENCY_FACTORS "65472:11.6436;15424:3.48845;9376:2.59299;" \
	"5776:2.18796;3484:1.88101;1426:1.61075;732:1.9503;257:1.95341;" \
	"0:2.01467"

void sim_smpi_set_defaults(struct sim_smpi *s)
{
	*s = (struct sim_smpi){ .eager_bytes = DETACHED,
				.detached_bytes = DETACHED,
				.tcp_gamma = TCP_GAMMA };
	sim_factors_read(BANDWIDTH_FACTORS, &s->bandwidth);
	sim_factors_read(LATENCY_FACTORS, &s->latency);
}

void sim_net_set(struct sim_net *n, const struct sim_smpi *smpi,
		 const struct tape_comm_model *model)
{
	memset(n, 0, sizeof *n);
	n->smpi = smpi;
	n->model = model;
	n->latency = n->bandwidth = 1;
}

static void smpi_transit(const struct sim_net *n, enum tape_distance d,
			 uint64_t bytes, struct sim_cost *c)
{
	const struct sim_smpi *s = n->smpi;
	double k = (double)bytes + ENVELOPE;
	double latency = s->route[d].latency_s * n->latency;
	double rate = s->route[d].bandwidth * n->bandwidth;

	if (latency > 0 && s->tcp_gamma > 0)
		rate = fmin(rate, s->tcp_gamma / (2 * latency));
	rate *= sim_factors_at(&s->bandwidth, k);
	c->work_ns = rate > 0 ? k / rate * 1e9 : 0;
	c->transit_ns = latency * sim_factors_at(&s->latency, k) * 1e9 +
			c->work_ns;
}

static void smpi_cost(const struct sim_net *n, enum tape_distance d,
		      uint64_t bytes, int synchronous, struct sim_cost *c)
{
	const struct sim_smpi *s = n->smpi;
	double size = (double)bytes;

	smpi_transit(n, d, bytes, c);
	c->isend_ns = sim_factors_overhead(&s->isend, size) * 1e9;
	c->isend_start_ns = c->isend_ns;
	c->protocol = synchronous || bytes >= s->detached_bytes
			      ? SIM_RENDEZVOUS
		      : bytes < s->eager_bytes ? SIM_EAGER
					       : SIM_DETACHED;
	if (c->protocol == SIM_RENDEZVOUS && !synchronous)
		return;
	c->send_ns = sim_factors_overhead(&s->send, size) * 1e9;
	c->send_start_ns = c->send_ns;
	if (!synchronous)
		c->recv_ns = sim_factors_overhead(&s->recv, size) * 1e9;
}

static void model_cost(const struct sim_net *n, enum tape_distance d,
		       uint64_t bytes, int synchronous, struct sim_cost *c)
{
	struct tape_parcel p = { .bytes = bytes, .distance = d };
	double latency, work;

	p.rendezvous = synchronous || bytes > n->limit_bytes[d];
	c->protocol = p.rendezvous ? SIM_RENDEZVOUS : SIM_EAGER;
	tape_comm_parts(n->model, &p, &latency, &work);
	if (work == 0 && !n->model->own_transit) {
		/* the part that grows with the size is limited by bandwidth */
		work = tape_curve_rate(&n->model->transit[d][p.rendezvous],
				       (double)bytes) * (double)bytes;
		work = fmin(work, latency);
		latency -= work;
	}
	c->work_ns = work / n->bandwidth;
	c->transit_ns = latency * n->latency + c->work_ns;
	if (!n->model->shared[d])
		c->work_ns = 0;
	c->recv_ns = c->send_ns = c->isend_ns = tape_comm_dc(n->model, &p);
}

static void find_cost(const struct sim_net *n, enum tape_distance d,
		      uint64_t bytes, int synchronous, struct sim_cost *c)
{
	memset(c, 0, sizeof *c);
	if (n->smpi)
		smpi_cost(n, d, bytes, synchronous, c);
	else
		model_cost(n, d, bytes, synchronous, c);
}

const struct sim_cost *sim_net_cost(struct sim_net *n, enum tape_distance d,
				    uint64_t bytes)
{
	uint64_t place = tape_spread_bits(bytes) >> 56;
	struct sim_net_known *k = &n->known[d][place % SIM_NET_KNOWN];

	if (!k->set || k->bytes != bytes) {
		find_cost(n, d, bytes, 0, &k->cost);
		k->bytes = bytes;
		k->set = 1;
	}
	return &k->cost;
}

void sim_net_ssend_cost(struct sim_net *n, enum tape_distance d, uint64_t bytes,
			struct sim_cost *c)
{
	find_cost(n, d, bytes, 1, c);
}

int sim_net_is_shared(const struct sim_net *n)
{
	if (n->smpi)
		return n->smpi->shared;
	for (int d = TAPE_SELF + 1; d < TAPE_DISTANCES; d++)
		if (n->model->shared[d])
			return 1;
	return 0;
}
