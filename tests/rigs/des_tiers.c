/*
 * A machine of six distances: itself, cache, package, host, switch, network;
 * see des.h.
 */
#include <string.h>

#include "des.h"

/* Six places, two of which share a cache, three a package, four a host, five
 * a switch. */
static const char *const place[DES_RANKS] = {
    "Cluster/Switch1:0/Machine:h0/Package:0/L3:0/Core:0",
    "Cluster/Switch1:0/Machine:h0/Package:0/L3:0/Core:1",
    "Cluster/Switch1:0/Machine:h0/Package:0/L3:1/Core:2",
    "Cluster/Switch1:0/Machine:h0/Package:1/L3:2/Core:3",
    "Cluster/Switch1:0/Machine:h1/Package:0/L3:0/Core:0",
    "Cluster/Switch1:1/Machine:h2/Package:0/L3:0/Core:0"};

const char *const des_tier_name[DES_TIERS] = {"self", "l3",	"package",
					      "shm",  "switch", "net"};

/* Of beta, in hundredths. */
static const int64_t hundredths[DES_TIERS] = {2, 5, 15, 40, 70, 100};

static int at(const struct des_program *p, int rank)
{
	return (int)((p->seed + (uint64_t)rank) % DES_RANKS);
}

const char *des_position(const struct des_program *p, int rank)
{
	return place[at(p, rank)];
}

int des_host(const struct des_program *p, int rank)
{
	int i = at(p, rank);

	if (!p->tiers)
		return rank % p->hosts;
	return i < 4 ? 0 : i - 3;
}

static int tier(const struct des_program *p, int a, int b)
{
	int i = at(p, a), k = at(p, b), far = i > k ? i : k;

	return i == k ? 0 : far;
}

int64_t des_tier_beta(const struct des_program *p, int tier)
{
	return p->beta * hundredths[tier] / 100;
}

int64_t des_beta(const struct des_program *p, int from, int to)
{
	return p->tiers ? des_tier_beta(p, tier(p, from, to)) : p->beta;
}

int64_t des_transit(const struct des_program *p, int from, int to,
		    int64_t bytes)
{
	return des_beta(p, from, to) + p->tau * bytes;
}
