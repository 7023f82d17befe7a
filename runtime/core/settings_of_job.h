/*
 * The settings of a job that another job spawned: variables of the spawning
 * job's environment, which the new job's environment may lack. The list is kept
 * outside the environment, because threads of the program may read that.
 */
#ifndef TAPE_SETTINGS_OF_JOB_H
#define TAPE_SETTINGS_OF_JOB_H

/* Adds a variable "TAPE_NAME" to the list. Returns 0, or -1 without memory. */
int tape_settings_add(const char *name, const char *value);

/*
 * Returns the value of a variable in the environment, else in the list, else
 * NULL. The list owns its values, until tape_settings_forget().
 */
const char *tape_settings_value(const char *name);

/* Empties the list, once the trace has begun. */
void tape_settings_forget(void);

#endif
