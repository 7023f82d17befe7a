/* Parses a platform that is described by a few words. */
#ifndef TAPEPLAT_PLATFORM_WORDS_H
#define TAPEPLAT_PLATFORM_WORDS_H

#include "platform.h"

/*
 * Parses words such as "cluster:16,cores=4,latency=2us" into p, which must have
 * default values, or those of a file. Dies with an error message that names the
 * wrong word.
 */
void platform_read_words(const char *words, struct tape_platform *p);

/*
 * Parse values with units, as SimGrid has them: 1Gf; 10Gbps, 1.25GBps; 10us.
 * Return 0, or -1 if the text is no such value or not above 0.
 */
int platform_parse_speed(const char *s, double *value);
int platform_parse_bandwidth(const char *s, double *value);
int platform_parse_time(const char *s, double *value);

#endif
