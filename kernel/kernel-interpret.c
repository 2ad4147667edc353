/* kernel-interpret.c: runs a kernel, one instruction at a time: the oracle for
 * the emitters. The work-items of a group go in lockstep with a flag each that
 * says who takes part, so a barrier is nothing at all. */
#include "config.h"

#include "kernel/kernel-interpret.h"

#include "kernel/kernel-lane.h"
#include "kernel/kernel-ops.h"

#include <math.h>
#include <string.h>

#define MAX_LANES 16 /* of a value */

typedef struct
{
  const TpKernel *kernel;
  int *match;    /* partner of region instructions */
  int *offset;   /* of a value in an item's lanes */
  int n_lanes;   /* of all values of one item */
  TpLane *lanes;   /* [local_size][n_lanes] */
  void **memory; /* per buffer */
  gint64 group, iteration;
  GError **error;
} Machine;

static TpLane *
lanes_of (const Machine *machine, int item, TpValue value)
{
  return machine->lanes + (gsize)item * machine->n_lanes
         + machine->offset[value];
}

static gboolean
fail (const Machine *machine, int i, const char *what)
{
  g_set_error (machine->error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
               "kernel '%s', group %" G_GINT64_FORMAT ", %%%d (%s): %s",
               machine->kernel->name, machine->group, i,
               tp_instr_get_info (machine->kernel->instrs[i].op)->name, what);
  return FALSE;
}

/* --- lane by lane ------------------------------------------------------- */

static void
run_lanewise (Machine *machine, int i, int item)
{
  static const TpLane none[MAX_LANES];
  const TpInstr *instr = &machine->kernel->instrs[i];
  const TpValue args[] = { instr->a, instr->b, instr->c };
  const TpLane *in[3] = { none, none, none };
  TpKind kind = machine->kernel->instrs[instr->a].kind;
  TpLane *out = lanes_of (machine, item, i);

  for (int arg = 0; arg < 3; arg++)
    if (args[arg] >= 0)
      in[arg] = lanes_of (machine, item, args[arg]);
  for (int lane = 0; lane < instr->lanes; lane++)
    out[lane] = tp_lane_compute (instr, kind, in[0][lane], in[1][lane],
                              in[2][lane]);
}

/* --- across lanes ------------------------------------------------------- */

/* Halves are combined until one lane is left: the order of every back end. */
static TpLane
reduce_lanes (const TpInstr *instr, const TpLane *in, int n)
{
  static const TpInstrOp steps[][2] = { { TP_I_IADD, TP_I_FADD },
                                        { TP_I_IMAX, TP_I_FMAX },
                                        { TP_I_IMIN, TP_I_FMIN } };
  TpInstr step = *instr;
  TpLane part[MAX_LANES];

  step.op = steps[instr->op - TP_I_LANE_SUM][tp_kind_is_real (instr->kind)];
  memcpy (part, in, n * sizeof *part);
  for (int half = n / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++)
      part[i] = tp_lane_compute (&step, instr->kind, part[i], part[i + half],
                              part[i]);
  return part[0];
}

static void
run_zip (const TpInstr *instr, const TpLane *a, const TpLane *b, TpLane *out)
{
  int first = instr->imm * instr->lanes / 2;

  for (int i = 0; i < instr->lanes; i++)
    out[i] = (i % 2 == 0 ? a : b)[first + i / 2];
}

static void
run_unzip (const TpInstr *instr, const TpLane *a, const TpLane *b, TpLane *out)
{
  int half = instr->lanes / 2;

  for (int i = 0; i < instr->lanes; i++)
    out[i] = (i < half ? a : b)[i % half * 2 + instr->imm];
}

static void
run_across (Machine *machine, int i, int item)
{
  const TpInstr *instr = &machine->kernel->instrs[i];
  const TpLane *in = lanes_of (machine, item, instr->a);
  TpLane *out = lanes_of (machine, item, i);

  switch (instr->op)
    {
    case TP_I_SPLAT:
      for (int lane = 0; lane < instr->lanes; lane++)
        out[lane] = in[0];
      break;
    case TP_I_EXTRACT:
      out[0] = in[instr->imm];
      break;
    case TP_I_INSERT:
      memmove (out, in, instr->lanes * sizeof *out);
      out[instr->imm] = *lanes_of (machine, item, instr->b);
      break;
    case TP_I_ZIP:
      run_zip (instr, in, lanes_of (machine, item, instr->b), out);
      break;
    case TP_I_UNZIP:
      run_unzip (instr, in, lanes_of (machine, item, instr->b), out);
      break;
    default:
      out[0] =
          reduce_lanes (instr, in, machine->kernel->instrs[instr->a].lanes);
      break;
    }
}

static void
run_leaf (Machine *machine, int i, int item)
{
  const TpInstr *instr = &machine->kernel->instrs[i];
  TpLane *out = lanes_of (machine, item, i);

  for (int lane = 0; lane < instr->lanes; lane++)
    if (instr->op == TP_I_CONST_F32)
      out[lane].f = instr->fimm;
    else
      out[lane].i = instr->op == TP_I_GROUP       ? machine->group
                    : instr->op == TP_I_ITEM      ? item
                    : instr->op == TP_I_ITERATION ? machine->iteration
                    : instr->op == TP_I_IOTA      ? lane
                                                  : instr->imm;
}

static TpLane
load_lane (const void *memory, TpDtype dtype, gint64 at)
{
  const TpDtypeRow *row = tp_dtype_get (dtype);
  const void *src = (const char *)memory + at * (gint64)row->size;
  TpLane lane = { .i = 0 };
  double real = 0.0;

  if (dtype == TPLAN_DTYPE_FLOAT32)
    memcpy (&lane.f, src, sizeof lane.f);
  else if (dtype == TPLAN_DTYPE_FLOAT64)
    memcpy (&lane.d, src, sizeof lane.d);
  else if (row->class != TP_CLASS_REAL)
    row->load_integers (src, 1, 1, &lane.i);
  else
    {
      row->load_reals (src, 1, 1, &real);
      lane.f = (float)real;
    }
  return lane;
}

static void
store_lane (void *memory, TpDtype dtype, gint64 at, TpLane lane)
{
  const TpDtypeRow *row = tp_dtype_get (dtype);
  void *dst = (char *)memory + at * (gint64)row->size;
  double real = dtype == TPLAN_DTYPE_FLOAT64 ? lane.d : lane.f;

  if (row->class == TP_CLASS_REAL)
    row->store_reals (&real, 1, 1, dst);
  else
    row->store_integers (&lane.i, 1, 1, dst);
}

static gboolean
run_memory (Machine *machine, int i, int item)
{
  const TpInstr *instr = &machine->kernel->instrs[i];
  const TpKernelBuffer *buffer = &machine->kernel->buffers[instr->buffer];
  gboolean is_store = instr->op == TP_I_STORE;
  TpValue mask = is_store ? instr->c : instr->b;
  gint64 base = lanes_of (machine, item, instr->a)->i;
  TpLane *lanes = lanes_of (machine, item, is_store ? instr->b : i);

  for (int lane = 0; lane < instr->lanes; lane++)
    {
      if (mask >= 0 && !lanes_of (machine, item, mask)[lane].i)
        {
          if (!is_store)
            lanes[lane] = (TpLane){ .i = 0 };
          continue;
        }
      if (base < -lane || base >= buffer->n_elements - lane)
        return fail (machine, i, "index out of the buffer");
      if (is_store)
        store_lane (machine->memory[instr->buffer], buffer->dtype, base + lane,
                    lanes[lane]);
      else
        lanes[lane] = load_lane (machine->memory[instr->buffer], buffer->dtype,
                                 base + lane);
    }
  return TRUE;
}

static gboolean
run_load4 (Machine *machine, int i, int item)
{
  const TpInstr *instr = &machine->kernel->instrs[i];
  const TpKernelBuffer *buffer = &machine->kernel->buffers[instr->buffer];
  gint64 base = lanes_of (machine, item, instr->a)->i;
  const guint8 *bytes = machine->memory[instr->buffer];
  TpLane *lanes = lanes_of (machine, item, i);

  if (base < 0 || base > buffer->n_elements - tp_instr_count_elements (instr))
    return fail (machine, i, "index out of the buffer");
  for (int lane = 0; lane < instr->lanes; lane++)
    {
      guint32 four = 0;

      for (int k = 3; k >= 0; k--)
        four = four << 8 | bytes[base + 4 * lane + k];
      lanes[lane].i = (gint32)four;
    }
  return TRUE;
}

/* Each item by itself, step after step, as the printed kernel does without the
 * instruction. */
static gboolean
run_mma (Machine *machine, int i, int item)
{
  const TpInstr *instr = &machine->kernel->instrs[i];
  const TpKernelBuffer *buffers = machine->kernel->buffers;
  TpMma mma = tp_instr_get_mma (instr);
  const TpValue operands[] = { instr->a, instr->b };
  const TpLane *sums = lanes_of (machine, item, instr->c);
  const float *first[2];
  int at = item % TP_MMA_WAVE;

  for (int k = 0; k < 2; k++)
    {
      gint64 base = lanes_of (machine, item, operands[k])->i;
      gint64 n = (gint64) (TP_MMA_DEPTH - 1) * mma.pitches[k] + TP_MMA_SIDE;

      if (base != lanes_of (machine, item - at, operands[k])->i)
        return fail (machine, i, "another index than the wave's first item has");
      if (base < 0 || base > buffers[mma.buffers[k]].n_elements - n)
        return fail (machine, i, "index out of the buffer");
      first[k] = (const float *) machine->memory[mma.buffers[k]] + base;
    }
  for (int lane = 0; lane < TP_MMA_LANES; lane++)
    {
      int row = tp_mma_get_row (lane) + TP_MMA_ROWS * (at / 4);
      int column = tp_mma_get_column (lane) + TP_MMA_WIDTH * (at % 4);
      float sum = sums[lane].f;

      for (int step = 0; step < TP_MMA_DEPTH; step++)
        sum = fmaf (first[0][step * mma.pitches[0] + row],
                    first[1][step * mma.pitches[1] + column], sum);
      lanes_of (machine, item, i)[lane].f = sum;
    }
  return TRUE;
}

static gboolean
run_item (Machine *machine, int i, int item)
{
  const TpInstr *instr = &machine->kernel->instrs[i];
  const TpInstrInfo *info = tp_instr_get_info (instr->op);

  if (instr->op == TP_I_BARRIER)
    return TRUE;
  if (instr->op == TP_I_LOAD || instr->op == TP_I_STORE)
    return run_memory (machine, i, item);
  if (instr->op == TP_I_LOAD4)
    return run_load4 (machine, i, item);
  if (instr->op == TP_I_MMA)
    return run_mma (machine, i, item);
  if (info->operands[0] == '\0')
    run_leaf (machine, i, item);
  else if (info->is_lanewise)
    run_lanewise (machine, i, item);
  else
    run_across (machine, i, item);
  return TRUE;
}

/* --- regions ------------------------------------------------------------ */

static gboolean run_range (Machine *machine, int first, int end,
                           const gboolean *active);

static void
copy_value (Machine *machine, TpValue src, TpValue dst, const gboolean *active)
{
  for (int item = 0; item < machine->kernel->local_size; item++)
    if (active[item])
      memmove (lanes_of (machine, item, dst), lanes_of (machine, item, src),
               machine->kernel->instrs[dst].lanes * sizeof (TpLane));
}

/* Copies into yields and from there to their carries, so that a swap works. */
static void
pass_yields (Machine *machine, int end_for, const gboolean *active)
{
  const TpInstr *instrs = machine->kernel->instrs;
  int first = end_for;

  while (instrs[first - 1].op == TP_I_YIELD)
    first--;
  for (int i = first; i < end_for; i++)
    copy_value (machine, instrs[i].b, i, active);
  for (int i = first; i < end_for; i++)
    copy_value (machine, i, instrs[i].a, active);
}

static gboolean
run_for (Machine *machine, int i, const gboolean *active)
{
  const TpInstr *instrs = machine->kernel->instrs;
  int n = machine->kernel->local_size, end_for = machine->match[i];
  int body = i + 1, body_end = end_for;
  g_autofree gboolean *inside = g_memdup2 (active, n * sizeof *active);
  gboolean any;

  for (; instrs[body].op == TP_I_CARRY; body++)
    {
      copy_value (machine, instrs[body].a, body, active);
      copy_value (machine, instrs[body].a, machine->match[body], active);
    }
  while (instrs[body_end - 1].op == TP_I_YIELD)
    body_end--;
  copy_value (machine, instrs[i].a, i, active);
  while (TRUE)
    {
      any = FALSE;
      for (int item = 0; item < n; item++)
        {
          inside[item] = inside[item]
                         && lanes_of (machine, item, i)->i
                                < lanes_of (machine, item, instrs[i].b)->i;
          any |= inside[item];
        }
      if (!any)
        return TRUE;
      if (!run_range (machine, body, body_end, inside))
        return FALSE;
      pass_yields (machine, end_for, inside);
      for (int item = 0; item < n; item++)
        if (inside[item])
          lanes_of (machine, item, i)->i += instrs[i].imm;
    }
}

static gboolean
run_if (Machine *machine, int i, const gboolean *active)
{
  int n = machine->kernel->local_size;
  g_autofree gboolean *inside = g_new0 (gboolean, n);
  gboolean any = FALSE;

  for (int item = 0; item < n; item++)
    if (active[item])
      {
        inside[item] =
            lanes_of (machine, item, machine->kernel->instrs[i].a)->i != 0;
        any |= inside[item];
      }
  return !any || run_range (machine, i + 1, machine->match[i], inside);
}

static gboolean
run_range (Machine *machine, int first, int end, const gboolean *active)
{
  for (int i = first; i < end; i++)
    {
      TpInstrOp op = machine->kernel->instrs[i].op;

      if (op == TP_I_FOR || op == TP_I_IF)
        {
          if (!(op == TP_I_FOR ? run_for : run_if) (machine, i, active))
            return FALSE;
          i = machine->match[i];
          continue;
        }
      for (int item = 0; item < machine->kernel->local_size; item++)
        if (active[item] && !run_item (machine, i, item))
          return FALSE;
    }
  return TRUE;
}

/* --- the kernel --------------------------------------------------------- */

static void
machine_clear (Machine *machine)
{
  for (int i = 0; i < machine->kernel->n_buffers; i++)
    if (machine->kernel->buffers[i].space == TP_SPACE_LOCAL)
      g_free (machine->memory[i]);
  g_free (machine->memory);
  g_free (machine->match);
  g_free (machine->offset);
  g_free (machine->lanes);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Machine, machine_clear)

static void
machine_init (Machine *machine, const TpKernel *kernel, void *const *buffers)
{
  machine->kernel = kernel;
  machine->match = tp_kernel_match_regions (kernel);
  machine->offset = g_new (int, kernel->n_instrs + 1);
  machine->memory = g_new0 (void *, kernel->n_buffers + 1);
  for (int i = 0; i < kernel->n_instrs; i++)
    {
      machine->offset[i] = machine->n_lanes;
      machine->n_lanes += kernel->instrs[i].lanes;
    }
  machine->lanes =
      g_new0 (TpLane, (gsize)machine->n_lanes * kernel->local_size + 1);
  for (int i = 0; i < kernel->n_buffers; i++)
    machine->memory[i] =
        kernel->buffers[i].space == TP_SPACE_GLOBAL
            ? buffers[i]
            : g_malloc (tp_kernel_buffer_get_bytes (&kernel->buffers[i]));
}

/* What a group before left in local memory is not to be relied on: NaN. */
static void
spoil_local (const Machine *machine)
{
  const TpKernel *kernel = machine->kernel;

  for (int i = 0; i < kernel->n_buffers; i++)
    if (kernel->buffers[i].space == TP_SPACE_LOCAL)
      memset (machine->memory[i], 0xff,
              tp_kernel_buffer_get_bytes (&kernel->buffers[i]));
}

gboolean
tp_kernel_interpret (const TpKernel *kernel, void *const *buffers,
                     gint64 iteration, GError **error)
{
  g_auto (Machine) machine = { .iteration = iteration, .error = error };
  g_autofree gboolean *active = g_new (gboolean, kernel->local_size);

  machine_init (&machine, kernel, buffers);
  for (int item = 0; item < kernel->local_size; item++)
    active[item] = TRUE;
  for (gint64 group = 0; group < kernel->n_groups; group++)
    {
      machine.group = group;
      spoil_local (&machine);
      if (!run_range (&machine, 0, kernel->n_instrs, active))
        return FALSE;
    }
  return TRUE;
}
