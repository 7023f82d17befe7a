/*
 * Numbers with units, as SimGrid's platform files write them: "1.25GBps",
 * "50us", "2.5Gf". Each returns 0, or TAPE_EFORMAT where it is none, negative
 * or not finite; *v is then untouched.
 */
#ifndef SIM_QUANTITY_H
#define SIM_QUANTITY_H

/* Bytes per second, of which "bps" means bits; seconds; operations per second,
 * of a list the first. A number alone is all of that, too. */
int sim_parse_bandwidth(const char *text, double *v);
int sim_parse_seconds(const char *text, double *v);
int sim_parse_speed(const char *text, double *v);

#endif
