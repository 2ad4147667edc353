/* engines.h: what runs in flight share and use one at a time: each device with its
 * kernels, and each direction of its copies. Runs are those of one session, or of
 * several for the same devices. */
#ifndef TP_RUNTIME_ENGINES_H
#define TP_RUNTIME_ENGINES_H

#include <glib.h>

typedef struct TpEngines TpEngines;

/* Of a device; engine number device * TP_ENGINE_KINDS + kind. */
typedef enum
{
  TP_ENGINE_KERNELS,
  TP_ENGINE_TO,
  TP_ENGINE_FROM,
  TP_ENGINE_KINDS,
} TpEngineKind;

TpEngines *tp_engines_new (int n_engines);
TpEngines *tp_engines_ref (TpEngines *engines);
void tp_engines_unref (TpEngines *engines); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpEngines, tp_engines_unref)

/* Room for @n runs that nobody else has: slots from the one returned on. */
int tp_engines_join (TpEngines *engines, int n);
/* When none of their runs is under way. */
void tp_engines_leave (TpEngines *engines, int first, int n);

/* Run @slot begins: it is younger than all others under way. One run has a slot
 * at a time. */
void tp_engines_begin (TpEngines *engines, int slot);

/* An engine that a run has; given back when cleared. */
typedef struct
{
  TpEngines *engines;         /* NULL: nothing is held */
  int engine;
  gint64 since_ns;
} TpEngineHold;

/* Waits until @engine is free for @slot: of those that wait the oldest run has it
 * next. A run holds one at most, so nobody waits in a circle. @engine -1: none is
 * needed. */
TpEngineHold tp_engines_take (TpEngines *engines, int engine, int slot);

/* Does what is next of a run, with the engine that the run waited for, and returns that
 * which it needs then; -1: it has ended. Thread: any, one at a time. */
typedef int (*TpEngineStep) (gpointer run);

typedef struct
{
  int engine;                 /* needed first */
  int slot;
  TpEngineStep step;
  gpointer run;
} TpEngineJob;

/* As tp_engines_take (), but if the engine, which is one, is not free at once, the run may
 * be done by threads of the engines, which are awake, instead of its own, which has to
 * wake up. FALSE: all of it is done. TRUE: @out_hold has the engine that it needs next, which
 * may be another one. */
gboolean tp_engines_pass (TpEngines *engines, const TpEngineJob *job,
                          TpEngineHold *out_hold);
void tp_engine_hold_clear (TpEngineHold *hold);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpEngineHold, tp_engine_hold_clear)

/* How long @engine was had by runs, all together; of one that is under way nothing
 * yet. Thread: any. */
gint64 tp_engines_get_busy_ns (TpEngines *engines, int engine);
/* Whether @slot waits for an engine. Thread: any. */
gboolean tp_engines_is_waiting (TpEngines *engines, int slot);

#endif
