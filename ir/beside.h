/* beside.h: a call beside what its caller goes on with. */
#ifndef TP_IR_BESIDE_H
#define TP_IR_BESIDE_H

#include <glib.h>

/* { 0 } is none. */
typedef struct
{
  void (*call) (gpointer data);
  gpointer data;
  const char *what;           /* as for tp_guard () */
  GThread *thread;            /* NULL: there is none */
  int is_begun;               /* (atomic) by who has nothing else to do */
  gsize is_made;              /* (a g_once_init_enter ()), and what @call left: */
  gboolean is_good;
  GError *error;
} TpBeside;

/* Begins @call in a thread of its own, where it is long and there is a processor, a
 * thread and memory for it; else tp_beside_end () makes it. To start one takes some
 * 50 us. It is guarded (ir/guard.h). @data is borrowed until then. */
void tp_beside_begin (TpBeside *beside, void (*call) (gpointer data),
                      gpointer data, const char *what, gboolean is_long);
/* Makes @call now, unless it has begun. For who has nothing else to do; another thread
 * than that of who began it may. */
void tp_beside_help (TpBeside *beside);
/* Waits for it. FALSE: it was left for want of memory. */
gboolean tp_beside_end (TpBeside *beside, GError **error);
/* Waits, where it began in a thread. */
void tp_beside_clear (TpBeside *beside);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpBeside, tp_beside_clear)

#endif
