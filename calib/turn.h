/* turn.h: calibrations of one cost table take turns at timing, or each would
 * measure how the other disturbs it. */
#ifndef TP_CALIB_TURN_H
#define TP_CALIB_TURN_H

#include <glib.h>

/* Held by whoever has locked the file "TABLE-turn"; however its process ends, the
 * turn is the next one's. */
typedef struct
{
  int fd;                     /* -1: not taken */
  char *path;
} TpTurn;

void tp_turn_init (TpTurn *turn);
/* FALSE: another process has it. Where the file cannot be made, everybody has. */
gboolean tp_turn_try (TpTurn *turn, const char *table_path);
void tp_turn_leave (TpTurn *turn);

#endif
