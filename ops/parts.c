/* parts.c: see parts.h.
 *
 * Addresses are affine in the axes of a nest. One access whose parts are known tells
 * which axis goes from part to part, an axis that goes through several dimensions
 * being taken apart first. Every other access either does not move along that axis, or
 * moves from part to part of its own; by all other axes it has to stay within a part,
 * or go by whole rounds of parts. Guards that hold an index within bounds count. */
#include "config.h"

#include "ops/parts.h"

#include "ir/guard.h"
#include "ir/units.h"
#include "nest/nest.h"
#include "ops/lower.h"

#include <string.h>

#define MAX_AXES (3 * TP_NEST_MAX_AXES)
#define MAX_EXACT 9007199254740992.0 /* of integers in a double */

/* An affine form of the axes taken apart. */
typedef struct
{
  gint64 coef[MAX_AXES];
  gint64 offset;
} Form;

/* What is known of the operands of a program. */
typedef struct
{
  const TpLowered *lowered;
  gint64 n_parts;
  gint64 *steps;              /* [operand]: as TpParts has them */
  guint8 *is_whole;           /* [operand]: somebody reads the same for each part */
} Program;

/* The axes of a nest, taken apart. */
typedef struct
{
  const TpNest *nest;
  gint64 n_parts;
  int n_axes;
  int of[MAX_AXES];           /* axis of the nest */
  gint64 scale[MAX_AXES];     /* its steps at a time */
  gint64 extent[MAX_AXES];    /* above 1 */
  int part;                   /* that goes from part to part; -1: none */
} Walk;

static Form
take_apart (const Walk *walk, const gint64 *coef, gint64 offset)
{
  Form form = { .offset = offset };

  for (int i = 0; i < walk->n_axes; i++)
    form.coef[i] = coef[walk->of[i]] * walk->scale[i];
  return form;
}

/* ---- axes ---------------------------------------------------------------- */

static void
add_axis (Walk *walk, int axis, gint64 scale, gint64 extent)
{
  if (extent <= 1)
    return;
  walk->of[walk->n_axes] = axis;
  walk->scale[walk->n_axes] = scale;
  walk->extent[walk->n_axes++] = extent;
}

/* One by which an access moves @coef elements, and whose parts are @step apart: those
 * within a part, the parts, and rounds of them. */
static void
add_apart (Walk *walk, int axis, gint64 coef, gint64 step)
{
  gint64 extent = walk->nest->axes[axis].extent;
  gint64 within = coef > 0 && coef <= step && step % coef == 0 ? step / coef : 0;

  if (within == 0 || walk->nest->axes[axis].is_reduce
      || walk->nest->axes[axis].is_rank
      || extent % within != 0 || extent / within % walk->n_parts != 0)
    {
      add_axis (walk, axis, 1, extent);
      return;
    }
  add_axis (walk, axis, 1, within);
  walk->part = walk->n_axes;
  add_axis (walk, axis, within, walk->n_parts);
  add_axis (walk, axis, within * walk->n_parts,
            extent / within / walk->n_parts);
}

/* As @guide moves; FALSE: it does not go from part to part. */
static gboolean
walk_init (Walk *walk, const TpAccess *guide, gint64 step)
{
  walk->part = -1;
  for (int i = 0; i < walk->nest->n_axes; i++)
    add_apart (walk, i, guide->stride[i], step);
  return walk->part >= 0;
}

/* ---- how far an address gets --------------------------------------------- */

typedef struct
{
  double low, high;
} Range;

static void
widen (Range *range, double step, double n_steps)
{
  if (step < 0)
    range->low += step * n_steps;
  else
    range->high += step * n_steps;
}

/* Where what @guard bounds, some times over, is all that some axes do to @form, these
 * axes go and the bounds stand for them. */
static void
use_guard (const Walk *walk, const Form *guard, gint64 extent, Form *form,
           Range *range)
{
  gint64 times = 0;

  for (int i = 0; i < walk->n_axes && times == 0; i++)
    if (guard->coef[i] != 0)
      times = form->coef[i] / guard->coef[i];
  for (int i = 0; i < walk->n_axes; i++)
    if (guard->coef[i] != 0 && form->coef[i] != times * guard->coef[i])
      return;
  for (int i = 0; i < walk->n_axes; i++)
    if (guard->coef[i] != 0)
      form->coef[i] = 0;
  form->offset -= times * guard->offset;
  widen (range, times, extent - 1);
}

static gint64
floor_to (gint64 value, gint64 unit)
{
  gint64 rest = value % unit;

  return value - (rest < 0 ? rest + unit : rest);
}

/* Whether @form moves from part to part, @step apart, along that axis alone. @range: of
 * what does not hang on axes. */
static gboolean
keeps_to_part (const Walk *walk, const Form *form, gint64 step, Range range)
{
  gint64 round, rest;

  if (!tp_size_mul (step, walk->n_parts, &round)
      || form->coef[walk->part] != step)
    return FALSE;
  rest = form->offset - floor_to (form->offset, round);
  range.low += rest;
  range.high += rest;
  for (int i = 0; i < walk->n_axes; i++)
    if (i != walk->part && form->coef[i] % round != 0)
      widen (&range, form->coef[i], walk->extent[i] - 1);
  return range.low >= 0 && range.high < step && range.high < MAX_EXACT;
}

/* ---- accesses ------------------------------------------------------------ */

/* The same as what is known, if anything is. */
static gboolean
learn_step (Program *program, int operand, gint64 step)
{
  gint64 n_elements = program->lowered->operands[operand].n_elements;
  gint64 round;

  if (!tp_size_mul (step, program->n_parts, &round) || n_elements % round != 0
      || (program->steps[operand] != 0 && program->steps[operand] != step))
    return FALSE;
  program->steps[operand] = step;
  return TRUE;
}

/* Iterations go by rounds of parts, or stay within one. */
static void
widen_by_turns (const Program *program, const TpAccess *access, gint64 step,
                Range *range)
{
  if (access->step % (step * program->n_parts) != 0)
    widen (range, access->step, program->lowered->n_iterations - 1);
}

static gboolean
read_store (Program *program, const Walk *walk)
{
  const TpAccess *store = &walk->nest->store;
  Form form = take_apart (walk, store->stride, store->offset);
  gint64 step = form.coef[walk->part];
  Range range = { 0, 0 };

  if (store->index >= 0)
    widen (&range, store->index_stride, store->index_extent - 1);
  if (step <= 0 || !learn_step (program, store->operand, step))
    return FALSE;
  widen_by_turns (program, store, step, &range);
  return keeps_to_part (walk, &form, step, range);
}

static gboolean
are_guards_apart (const Walk *walk, const TpAccess *load)
{
  for (int i = 0; i < load->n_guards; i++)
    if (take_apart (walk, load->guards[i].coef, 0).coef[walk->part] != 0)
      return FALSE;
  return TRUE;
}

static gboolean
read_load (Program *program, const Walk *walk, const TpAccess *load)
{
  Form form = take_apart (walk, load->stride, load->offset);
  gint64 step = form.coef[walk->part];
  Range range = { 0, 0 };

  if (!are_guards_apart (walk, load))
    return FALSE;
  if (step == 0)
    {
      program->is_whole[load->operand] = TRUE;
      return TRUE;
    }
  if (step < 0 || !learn_step (program, load->operand, step))
    return FALSE;
  widen_by_turns (program, load, step, &range);
  for (int i = 0; i < load->n_guards; i++)
    {
      Form guard = take_apart (walk, load->guards[i].coef,
                               load->guards[i].offset);

      use_guard (walk, &guard, load->guards[i].extent, &form, &range);
    }
  if (load->index >= 0)
    widen (&range, load->index_stride, load->index_extent - 1);
  return keeps_to_part (walk, &form, step, range);
}

/* ---- programs ------------------------------------------------------------ */

/* FALSE: nothing that @walk is of has parts that are known, yet. */
static gboolean
find_guide (const Program *program, Walk *walk)
{
  const TpNest *nest = walk->nest;
  gint64 step = program->steps[nest->store.operand];

  if (step > 0)
    return walk_init (walk, &nest->store, step);
  for (int i = 0; i < nest->n_loads; i++)
    {
      step = program->steps[nest->loads[i].operand];
      walk->n_axes = 0;
      if (step > 0 && walk_init (walk, &nest->loads[i], step))
        return TRUE;
    }
  return FALSE;
}

static gboolean
read_nest (Program *program, const Walk *walk)
{
  if (!read_store (program, walk))
    return FALSE;
  for (int i = 0; i < walk->nest->n_loads; i++)
    if (!read_load (program, walk, &walk->nest->loads[i]))
      return FALSE;
  return TRUE;
}

/* What is made once for all parts: in scratch, of nothing that has any. */
static gboolean
is_shared (const Program *program, const TpNest *nest)
{
  int operand = nest->store.operand;

  for (int i = 0; i < nest->n_loads; i++)
    if (program->steps[nest->loads[i].operand] != 0)
      return FALSE;
  return program->lowered->operands[operand].is_scratch
         && program->steps[operand] == 0;
}

/* Nests in any order, as they come to be known. FALSE also where one is not. */
static gboolean
read_nests (Program *program)
{
  const TpLowered *lowered = program->lowered;
  g_autofree guint8 *is_done = tp_new0 (guint8, lowered->n_nests + 1);
  int n_done = 0, n_before = -1;

  while (n_done > n_before)
    {
      n_before = n_done;
      for (int i = 0; i < lowered->n_nests; i++)
        {
          Walk walk = { .nest = lowered->nests[i],
                        .n_parts = program->n_parts };

          if (is_done[i] || !find_guide (program, &walk))
            continue;
          if (!read_nest (program, &walk))
            return FALSE;
          is_done[i] = TRUE;
          n_done++;
        }
    }
  for (int i = 0; i < lowered->n_nests; i++)
    n_done += !is_done[i] && is_shared (program, lowered->nests[i]);
  return n_done == lowered->n_nests;
}

static gboolean
read_program (Program *program)
{
  if (!read_nests (program))
    return FALSE;
  for (int i = 0; i < program->lowered->n_operands; i++)
    if (program->is_whole[i] && program->steps[i] != 0)
      return FALSE;
  return TRUE;
}

/* ---- nodes --------------------------------------------------------------- */

static gint64
get_step (const Program *program, int tensor)
{
  for (int i = 0; i < program->lowered->n_operands; i++)
    if (program->lowered->operands[i].tensor == tensor)
      return program->steps[i];
  return 0;
}

/* What is not read has the parts it had. */
static void
tell (const Program *program, TpParts *parts, const TpNode *node,
      gint64 *out_steps)
{
  for (int i = 0; i < node->n_inputs; i++)
    {
      int tensor = node->inputs[i];

      if (tensor >= 0)
        out_steps[i] = MAX (parts->steps[tensor], get_step (program, tensor));
    }
  for (int i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] >= 0)
      parts->steps[node->outputs[i]] = get_step (program, node->outputs[i]);
}

static gboolean
follow_lowered (TpParts *parts, const TpLowered *lowered, const TpNode *node,
                gint64 *out_steps)
{
  g_autofree gint64 *steps = tp_new0 (gint64, lowered->n_operands + 1);
  g_autofree guint8 *is_whole = tp_new0 (guint8, lowered->n_operands + 1);
  Program program = { lowered, parts->n_parts, steps, is_whole };

  for (int i = 0; i < lowered->n_operands; i++)
    if (lowered->operands[i].is_iota) /* parts are not numbered from 0 */
      return FALSE;
    else if (lowered->operands[i].tensor >= 0 && !lowered->operands[i].is_output)
      steps[i] = parts->steps[lowered->operands[i].tensor];
  if (!read_program (&program))
    return FALSE;
  tell (&program, parts, node, out_steps);
  return TRUE;
}

/* The same bytes in the same order. */
static void
follow_view (TpParts *parts, const TpNode *node, gint64 *out_steps)
{
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0)
      out_steps[i] = parts->steps[node->inputs[i]];
  parts->steps[node->outputs[0]] = out_steps[0];
}

gboolean
tp_parts_follow (TpParts *parts, const TpGraph *graph, int node,
                 gint64 *out_steps, GError **error)
{
  const TpNode *it = &graph->nodes[node];
  g_autoptr (TpLowered) lowered = NULL;

  memset (out_steps, 0, it->n_inputs * sizeof out_steps[0]);
  if (tp_node_is_view (it))
    {
      follow_view (parts, it, out_steps);
      return TRUE;
    }
  lowered = tp_lower_nodes (graph, &node, 1, error);
  if (lowered == NULL)
    return FALSE;
  if (follow_lowered (parts, lowered, it, out_steps))
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
               "op '%.100s' (%.100s) may read several parts for one",
               it->name, it->type);
  return FALSE;
}
