/*
 * What a message costs on the machine of tapesim. Dates are those that SimGrid
 * 3.32 printed, by smpirun -replay on a cluster of links of 10 us and 2 GB/s,
 * a loopback of 1 us and 5 GB/s, and crosstraffic off.
 */
#include <math.h>
#include <string.h>

#include "error.h"
#include "net.h"
#include "tap.h"

static int is(double v, double expected)
{
	if (fabs(v - expected) < 0.001)
		return 1;
	printf("# %.6f, and not %.6f\n", v, expected);
	return 0;
}

static void factors(void)
{
	struct sim_factors f = { 0 };

	ok(sim_factors_at(&f, 9) >= 1 && sim_factors_overhead(&f, 9) <= 0,
	   "no sections change nothing");
	ok(!sim_factors_read("1000:2e-6:0;0:1e-6:1e-9", &f) && f.n == 2,
	   "sections in any order");
	ok(is(sim_factors_overhead(&f, 1000) * 1e9, 2000) &&
	   is(sim_factors_overhead(&f, 241) * 1e9, 1241) &&
	   is(sim_factors_overhead(&f, 1001) * 1e9, 2000),
	   "a section's size belongs to the one before");
	ok(!sim_factors_read("100:3;200:4", &f) &&
	   is(sim_factors_at(&f, 100), 1) && is(sim_factors_at(&f, 101), 3) &&
	   is(sim_factors_at(&f, 201), 4), "factors");
	ok(!sim_factors_read("0:0:0:0:0", &f) && f.n == 1,
	   "SimGrid's own: numbers of other places");
	ok(!sim_factors_read("0:-2e-9:1e-9", &f) &&
	   is(sim_factors_overhead(&f, 1) * 1e9, 0) &&
	   is(sim_factors_overhead(&f, 3) * 1e9, 1),
	   "a fitted line may begin below 0, a time may not");
	ok(sim_factors_read("0", &f) == TAPE_EFORMAT &&
	   sim_factors_read("0:x", &f) == TAPE_EFORMAT &&
	   sim_factors_read("-1:0", &f) == TAPE_EFORMAT &&
	   sim_factors_read("0:nan", &f) == TAPE_EFORMAT &&
	   sim_factors_read("0:1,2:3", &f) == TAPE_EFORMAT && f.n == 1,
	   "what is none is refused");
}

static void as_simgrid(void)
{
	static struct sim_net net;
	const struct sim_cost *c;
	struct sim_cost one;
	struct sim_smpi s;

	sim_smpi_set_defaults(&s);
	s.route[TAPE_NET] = (struct sim_route){ 20e-6, 2e9 };
	s.route[TAPE_SHM] = (struct sim_route){ 1e-6, 5e9 };
	sim_net_set(&net, &s, NULL);
	ok(is(sim_net_cost(&net, TAPE_NET, 1000)->transit_ns, 40491.437) &&
	   is(sim_net_cost(&net, TAPE_NET, 241)->transit_ns, 40451.635) &&
	   is(sim_net_cost(&net, TAPE_NET, 242)->transit_ns, 39449.730) &&
	   is(sim_net_cost(&net, TAPE_NET, 258)->transit_ns, 39473.391),
	   "messages as SimGrid has them");
	ok(is(sim_net_cost(&net, TAPE_SHM, 1000)->transit_ns, 2544.475),
	   "within a host");
	c = sim_net_cost(&net, TAPE_NET, 70000);
	ok(is(c->transit_ns, 378088.077 - 108001) &&
	   c->protocol == SIM_RENDEZVOUS, "a large one");
	ok(is(sim_net_cost(&net, TAPE_NET, 1000)->transit_ns, 40491.437),
	   "the same again");
	s.eager_bytes = 100;
	sim_net_set(&net, &s, NULL);
	ok(sim_net_cost(&net, TAPE_NET, 99)->protocol == SIM_EAGER &&
	   sim_net_cost(&net, TAPE_NET, 100)->protocol == SIM_DETACHED &&
	   sim_net_cost(&net, TAPE_NET, 65535)->protocol == SIM_DETACHED &&
	   sim_net_cost(&net, TAPE_NET, 65536)->protocol == SIM_RENDEZVOUS,
	   "protocols by size");
	sim_net_ssend_cost(&net, TAPE_NET, 1, &one);
	ok(one.protocol == SIM_RENDEZVOUS, "a synchronous send");
	s.route[TAPE_NET].latency_s = 1e-3;
	sim_net_set(&net, &s, NULL);
	/* 4194304 bytes in two latencies: 2.097152 GB/s, of 4 GB/s; smpirun
	 * has 12175.122472 us with this latency */
	net.bandwidth = 2;
	c = sim_net_cost(&net, TAPE_NET, 1048560);
	ok(is(c->transit_ns, 12175122.472), "a window of TCP bounds the rate");
	s.tcp_gamma = 0;
	sim_net_set(&net, &s, NULL);
	net.bandwidth = 2;
	c = sim_net_cost(&net, TAPE_NET, 1048560);
	ok(is(c->transit_ns, 11922270.854), "or it does not");
}

static void as_model(void)
{
	static struct sim_net net;
	static struct tape_comm_model m;
	struct tape_loggp p = { 1000, 50, 0.5 };
	const struct sim_cost *c;

	tape_comm_loggp(&m, TAPE_NET, &p);
	sim_net_set(&net, NULL, &m);
	net.limit_bytes[TAPE_NET] = 4096;
	c = sim_net_cost(&net, TAPE_NET, 101);
	ok(c->protocol == SIM_EAGER && is(c->transit_ns, 1100) &&
	       is(c->recv_ns, 50) && is(c->send_ns, 50) &&
	       is(c->send_start_ns, 0) && is(c->work_ns, 0),
	   "a model: LogGP");
	c = sim_net_cost(&net, TAPE_NET, 4097);
	ok(c->protocol == SIM_RENDEZVOUS && is(c->transit_ns, 3148) &&
	       is(c->recv_ns, 0) && is(c->send_ns, 0),
	   "a rendezvous of it");
	sim_net_set(&net, NULL, &m);
	net.limit_bytes[TAPE_NET] = 4096;
	net.bandwidth = 2;
	net.latency = 3;
	c = sim_net_cost(&net, TAPE_NET, 101);
	/* 0.5 ns x 101 bytes at half the time, the rest three times */
	ok(is(c->transit_ns, (1100 - 50.5) * 3 + 25.25), "what if");
	m.shared[TAPE_NET] = 1;
	sim_net_set(&net, NULL, &m);
	net.limit_bytes[TAPE_NET] = 4096;
	c = sim_net_cost(&net, TAPE_NET, 101);
	ok(is(c->transit_ns, 1100) && is(c->work_ns, 50.5) &&
	       sim_net_is_shared(&net),
	   "shared links");
}

int main(void)
{
	factors();
	as_simgrid();
	as_model();
	return done();
}
