/* Numbers of options, for options of the same kind in several tools. */
#ifndef TAPE_OPTION_NUMBER_H
#define TAPE_OPTION_NUMBER_H

/*
 * Returns the real number of text, from least to most. Anything else is a wrong
 * use of the tool and ends it.
 */
double tape_option_real(const char *text, double least, double most);

/* Returns the seconds of an option, less than 9e9. option is in the message. */
double tape_option_seconds(const char *text, const char *option);

#endif
