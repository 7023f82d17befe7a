/*
 * Why a parallel program is not faster: the factors of POP (Rosas, Gimenez,
 * Labarta: Scalability prediction for fundamental performance factors, 2014;
 * pop-coe.eu). Of the computing times of all flows, the run time T, and the
 * time T_ideal that the run takes if messages take no time:
 *
 *	load balance	mean(computing) / max(computing)
 *	serialisation	max(computing) / T_ideal
 *	transfer	T_ideal / T
 *	communication	max(computing) / T = serialisation * transfer
 *	parallel	mean(computing) / T = load balance * communication
 *
 * Where flows share processors, computing includes waiting for one. Useful time
 * is computing without that:
 *
 *	load balance	mean(useful) / max(useful)
 *	processors	max(useful) / max(computing)
 *	parallel	mean(useful) / T
 *			= load balance * processors * communication
 *
 * A flow is useful for at most the time that it computes, so no factor is above
 * 1. The quotient of the longest times, like that of serialisation, makes this
 * so: sum(useful) / sum(computing) leaves a communication above 1 where the
 * longest flow waits less for processors than the mean.
 *
 * A flow is a thread that communicates. Where ranks have several, a part of the
 * imbalance is between the threads of a rank (the multiplicative model of
 * hybrid programs, pop-coe.eu). Of n flows, and ranks r with k(r) flows, the
 * longest of which computes max(r):
 *
 *	threads		sum(computing) / sum over ranks(k(r) max(r))
 *	load balance	threads * (sum over ranks(k(r) max(r)) / n /
 *			max(computing)), the latter that between ranks
 */
#ifndef TAPE_EFFICIENCY_H
#define TAPE_EFFICIENCY_H

#include <stddef.h>

/*
 * Times of n flows, ns. ideal_ns is NAN where it is not known. Useful times
 * count where is_shared is 1; else all computing is useful. threads_ns is of
 * the times that count; 0: no rank has several flows.
 */
struct tape_efficiency_times {
	size_t n;
	double sum_ns, max_ns; /* computing: of all, of the longest */
	double run_ns, ideal_ns;
	int is_shared; /* flows waited for processors */
	double useful_sum_ns, useful_max_ns;
	double threads_ns; /* sum over ranks: flows * longest of its flows */
};

/*
 * Each from 0 to 1, or NAN: not known. processors: known if shared; threads,
 * which is a part of load balance: if a rank has several.
 */
struct tape_efficiency {
	double load_balance, serialisation, transfer, communication, parallel;
	double processors, threads;
};

extern const struct tape_efficiency tape_efficiency_unknown;

/*
 * No factor is above 1: times that contradict each other by a thousandth or
 * less (the timestamps of two sides of a message may) are taken as equal. Of
 * times that contradict each other by more the factors are NAN. So are all if
 * nothing is computed.
 */
struct tape_efficiency
tape_efficiency_factors(const struct tape_efficiency_times *t);

/*
 * What the factors certainly are, at least and at most, if each time is between
 * that of least and of most, each by itself. Both have the same n and
 * is_shared. Serialisation and transfer are NAN if an ideal_ns is, processors
 * if the flows do not share, threads if a threads_ns is 0.
 */
void tape_efficiency_bounds(const struct tape_efficiency_times *least,
			    const struct tape_efficiency_times *most,
			    struct tape_efficiency *from,
			    struct tape_efficiency *to);

/*
 * A run compared with a reference, a run of the same program on n flows of its
 * own (the same source):
 *
 *	speed_up	T of the reference / T; weak: times n / n of the
 *			reference, as the work grows with the flows
 *	computation	computation scaling: sum(computing) of the reference /
 *			sum(computing); weak: of the means
 *	global		parallel efficiency * computation scaling
 *
 * So the global efficiency is (T n) of the reference / (T n), times the
 * parallel efficiency of the reference, and weak T of the reference / T times
 * that. It may be above 1. NAN: not known.
 */
struct tape_scaling {
	double speed_up, computation, global;
};
struct tape_scaling
tape_efficiency_scaling(const struct tape_efficiency_times *reference,
			const struct tape_efficiency_times *run, int is_weak);

#endif
