/* A platform described by a few words. */
#ifndef TAPEPLAT_PLATFORM_WORDS_H
#define TAPEPLAT_PLATFORM_WORDS_H

#include "platform.h"

/*
 * Reads words as "cluster:16,cores=4,latency=2us" into p, which has the usual
 * values, or those of a file, before. Dies with a sentence that names the
 * wrong word.
 */
void platform_read_words(const char *words, struct tape_platform *p);

/*
 * Values with units, as SimGrid has them: 1Gf; 10Gbps, 1.25GBps; 10us. 0, or
 * -1: it is none, or not more than 0.
 */
int platform_parse_speed(const char *s, double *value);
int platform_parse_bandwidth(const char *s, double *value);
int platform_parse_time(const char *s, double *value);

#endif
