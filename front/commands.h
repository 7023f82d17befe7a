/*
 * The commands of tape, one function each: argv[0] is the command's name. They
 * return the exit status, or end tape.
 */
#ifndef TAPE_COMMANDS_H
#define TAPE_COMMANDS_H

int run_command(int argc, char **argv);
int repeat_command(int argc, char **argv);
int live_command(int argc, char **argv);
int report_command(int argc, char **argv);
int view_command(int argc, char **argv);
int correct_command(int argc, char **argv);
int compare_command(int argc, char **argv);
int page_command(int argc, char **argv);
int help_command(int argc, char **argv);
int completion_command(int argc, char **argv);

#endif
