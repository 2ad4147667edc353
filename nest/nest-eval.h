/* nest-eval.h: runs nests in double by plain loops: slow and right. */
#ifndef TP_NEST_NEST_EVAL_H
#define TP_NEST_NEST_EVAL_H

#include "nest/nest.h"

/* Runs nests in double and gint64 by plain loops over buffers of doubles, one per
 * operand, scratch too: the oracle for schedules and emitters. */
void tp_lowered_eval (const TpLowered *lowered, double *const *operands);

/* The elements of an operand. */
typedef struct
{
  TpDtype dtype;
  void *data;                 /* not looked at of what is_iota */
} TpCells;

/* One element of what a nest stores. */
typedef struct
{
  int operand;
  gint64 index;
  double value;
} TpPoint;

/* Appends to @points (TpPoint) what the last nests, whose results no nest reads,
 * store at about @most points each: the first, the last, and some of every part
 * between, the same ones each time. Those before run in full. @operands: of what
 * is appended not looked at; scratch of doubles. Plain programs only: no
 * recurrence. */
void tp_lowered_sample (const TpLowered *lowered, const TpCells *operands,
                        gint64 most, GArray *points);
/* Whether @nest of @lowered is one of the last. */
gboolean tp_lowered_is_last (const TpLowered *lowered, int nest);
/* Expressions that a nest takes for each of its points. */
double tp_nest_count_steps (const TpNest *nest);

#endif
