/* Completion of command lines, from the table of all programs. */
#ifndef TAPE_SHELL_COMPLETION_H
#define TAPE_SHELL_COMPLETION_H

/* Prints a script for bash, zsh or fish. Returns 0, or -1 for another shell. */
int completion_print(const char *shell);

#endif
