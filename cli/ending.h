/* ending.h: the program ends when its command does, and not before. */
#ifndef TP_CLI_ENDING_H
#define TP_CLI_ENDING_H

/* From then on what drivers start in this process ends with it, whatever ends it but
 * SIGKILL, unless it has children already. Before any other handler is set. */
void tp_cli_ending_begin (void);
/* Where it ends by itself; for signal handlers too. */
void tp_cli_ending_end_children (void);
/* The same for signal @number again, whose handler was another; for handlers too. */
void tp_cli_ending_catch (int number);

/* From then on whoever ends this process, a driver by exit() or _exit(), ends it
 * with a message and TP_EXIT_DEVICE: what ends with another status is the
 * command @name alone. NULL: it is done. */
void tp_cli_ending_watch (const char *name);

/* Ends the process before the command is done; for signal handlers too. */
_Noreturn void tp_cli_ending_leave (int status);

#endif
