/* A platform described by a few words. */
#ifndef TAPEPLAT_SHAPE_H
#define TAPEPLAT_SHAPE_H

#include "platform.h"

/*
 * Reads words as "cluster:16,cores=4,latency=2us" into p, which has the usual
 * values, or those of a file, before. Dies with a sentence that names the
 * wrong word.
 */
void shape_read(const char *words, struct tape_platform *p);

/*
 * Values with units, as SimGrid has them: 1Gf; 10Gbps, 1.25GBps; 10us. 0, or
 * -1: it is none, or not more than 0.
 */
int shape_speed(const char *s, double *value);
int shape_bandwidth(const char *s, double *value);
int shape_time(const char *s, double *value);

#endif
