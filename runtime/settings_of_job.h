/*
 * Settings that a job has from the one that spawned it. A variable of the
 * environment comes first. They are kept beside the environment: it belongs to
 * the program, whose threads may read it.
 */
#ifndef TAPE_SETTINGS_OF_JOB_H
#define TAPE_SETTINGS_OF_JOB_H

/* Adds "TAPE_NAME" and its value. Returns 0, or -1 without memory. */
int tape_settings_add(const char *name, const char *value);

/* The value of a variable, or NULL; valid until they are forgotten. */
const char *tape_settings_value(const char *name);

/* Once the trace has begun they are of no use any more. */
void tape_settings_forget(void);

#endif
