/* pulse.h: nobody is left to wonder whether the program is still at it. */
#ifndef TP_CLI_PULSE_H
#define TP_CLI_PULSE_H

#include <glib.h>

/* From now on, where nothing is said for a while, on stderr: "run: 4 s", written over
 * by what comes next, on a terminal; elsewhere a line every few seconds. @name is
 * kept. Without a thread to be had, and where memory is limited, there is none. */
void tp_cli_pulse_start (const char *name);

/* Before something is printed. */
void tp_cli_pulse_said (void);

/* Whether a bar stands on the terminal: it is not to be written over. */
void tp_cli_pulse_set_bar (gboolean is_bar);

/* Nothing more is to be said. */
void tp_cli_pulse_end (void);

#endif
