/*
 * Parses numbers with units, as in SimGrid's platform files: "1.25GBps",
 * "50us", "2.5Gf". Each function returns 0, or TAPE_EFORMAT if the text is
 * wrong, negative or not finite; *v is then unchanged.
 */
#ifndef SIM_QUANTITY_H
#define SIM_QUANTITY_H

/*
 * Bytes per second ("bps" means bits); seconds; operations per second, the
 * first of a list. A number without a unit is accepted by all.
 */
int sim_parse_bandwidth(const char *text, double *v);
int sim_parse_seconds(const char *text, double *v);
int sim_parse_speed(const char *text, double *v);

#endif
