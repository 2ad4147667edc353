/* gpu-waves.c: see gpu-waves.h. Indices are computed for each item; what depends on
 * data is none, and such a load counts for each item apart. */
#include "config.h"

#include "gpu-waves.h"

#include "ir/compare.h"
#include "kernel/kernel-ops.h"

#include <stdlib.h>

#define N_BANKS 32
#define PIECE 32              /* bytes that a cache asks memory for */

typedef struct
{
  const TpKernel *kernel;
  gint64 group, item;
  gint64 *value;              /* per instruction, if it is an index or a mask */
  gboolean *is_known;
} Machine;

static void
machine_clear (Machine *machine)
{
  g_free (machine->value);
  g_free (machine->is_known);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Machine, machine_clear)

/* ---- indices ------------------------------------------------------------ */

/* Of two numbers; FALSE: @op is no such. */
static gboolean
compute (TpInstrOp op, gint64 x, gint64 y, gint64 *out)
{
  switch (op)
    {
    case TP_I_IADD: *out = x + y; return TRUE;
    case TP_I_ISUB: *out = x - y; return TRUE;
    case TP_I_IMUL: *out = x * y; return TRUE;
    case TP_I_IDIV: *out = y == 0 ? 0 : x / y; return TRUE;
    case TP_I_IMOD: *out = y == 0 ? 0 : x % y; return TRUE;
    case TP_I_IMIN: *out = MIN (x, y); return TRUE;
    case TP_I_IMAX: *out = MAX (x, y); return TRUE;
    case TP_I_IAND:
    case TP_I_MAND: *out = x & y; return TRUE;
    case TP_I_MOR: *out = x | y; return TRUE;
    case TP_I_IXOR: *out = x ^ y; return TRUE;
    case TP_I_ILESS: *out = x < y; return TRUE;
    case TP_I_IEQUAL: *out = x == y; return TRUE;
    default: return FALSE;
    }
}

static gboolean
evaluate (const Machine *m, const TpInstr *instr, gint64 *out)
{
  int from = instr->op == TP_I_YIELD ? instr->b : instr->a;

  switch (instr->op)
    {
    case TP_I_CONST_INDEX: *out = instr->imm; return TRUE;
    case TP_I_GROUP: *out = m->group; return TRUE;
    case TP_I_ITEM: *out = m->item; return TRUE;
    case TP_I_ITERATION: *out = 0; return TRUE;
    case TP_I_FOR:
    case TP_I_CARRY:
    case TP_I_YIELD:
      *out = m->value[from];
      return m->is_known[from];
    case TP_I_SELECT:
      from = m->value[instr->a] ? instr->b : instr->c;
      *out = m->value[from];
      return m->is_known[instr->a] && m->is_known[from];
    default:
      return instr->a >= 0 && instr->b >= 0 && m->is_known[instr->a]
             && m->is_known[instr->b]
             && compute (instr->op, m->value[instr->a], m->value[instr->b], out);
    }
}

/* All loops at their first turn. */
static void
machine_init (Machine *m, const TpKernel *kernel, gint64 item)
{
  *m = (Machine) { kernel, kernel->n_groups / 2, item,
                   g_new0 (gint64, kernel->n_instrs + 1),
                   g_new0 (gboolean, kernel->n_instrs + 1) };
  for (int i = 0; i < kernel->n_instrs; i++)
    if (kernel->instrs[i].lanes == 1)
      m->is_known[i] = evaluate (m, &kernel->instrs[i], &m->value[i]);
}

/* ---- loops -------------------------------------------------------------- */

static gint64
count_fma (const TpKernel *kernel, int first, int end)
{
  gint64 n = 0;

  for (int i = first; i < end; i++)
    if (kernel->instrs[i].op == TP_I_FMA)
      n += kernel->instrs[i].lanes;
  return n;
}

static void
find_loop (const TpKernel *kernel, int *out_first, int *out_end)
{
  gint64 most = -1;
  int first = -1;

  *out_first = 0;
  *out_end = kernel->n_instrs;
  for (int i = 0; i < kernel->n_instrs; i++)
    if (kernel->instrs[i].op == TP_I_FOR)
      first = i;
    else if (kernel->instrs[i].op == TP_I_END_FOR && first >= 0)
      {
        gint64 n = count_fma (kernel, first, i);

        if (n > most)
          {
            most = n;
            *out_first = first;
            *out_end = i;
          }
        first = -1;
      }
}

/* ---- what is touched ---------------------------------------------------- */

/* Pieces of @size bytes that load @at touches, each once, in order; those of unknown
 * places lie apart. */
static GArray *
list_pieces (const Machine *machines, int n, int at, gint64 size)
{
  const TpKernel *kernel = machines->kernel;
  const TpInstr *load = &kernel->instrs[at];
  gint64 bytes
      = (gint64) tp_dtype_get_size (kernel->buffers[load->buffer].dtype);
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (gint64));
  guint n_once = 0;

  for (int i = 0; i < n; i++)
    {
      gint64 first = machines[i].is_known[load->a]
                         ? machines[i].value[load->a] * bytes
                         : G_MAXINT32 * (gint64) (i + 1);
      gint64 last = first + bytes * tp_instr_count_elements (load) - 1;

      for (gint64 piece = first / size; piece <= last / size; piece++)
        g_array_append_val (pieces, piece);
    }
  qsort (pieces->data, pieces->len, sizeof (gint64), tp_compare_int64);
  for (guint i = 0; i < pieces->len; i++)
    if (i == 0
        || g_array_index (pieces, gint64, i)
               != g_array_index (pieces, gint64, n_once - 1))
      g_array_index (pieces, gint64, n_once++)
          = g_array_index (pieces, gint64, i);
  g_array_set_size (pieces, n_once);
  return pieces;
}

static void
add_local (GpuWave *wave, const Machine *machines, int n, int at)
{
  g_autoptr (GArray) words = list_pieces (machines, n, at, 4);
  gint64 in_bank[N_BANKS] = { 0 }, most = 0;

  for (guint i = 0; i < words->len; i++)
    {
      gint64 *bank
          = &in_bank[g_array_index (words, gint64, i) % N_BANKS];

      (*bank)++;
      most = MAX (most, *bank);
    }
  wave->local_bytes += 4 * (gint64) words->len;
  wave->local_cycles += most;
}

void
gpu_wave_init (GpuWave *wave, const TpKernel *kernel, int n_items)
{
  int n = MIN (n_items, kernel->local_size), first, end;
  g_autofree Machine *machines = g_new0 (Machine, n);

  *wave = (GpuWave) { 0 };
  find_loop (kernel, &first, &end);
  wave->fma = count_fma (kernel, first, end);
  for (int i = 0; i < n; i++)
    machine_init (&machines[i], kernel, i);
  for (int i = first; i < end; i++)
    {
      const TpInstr *instr = &kernel->instrs[i];

      if (!tp_instr_is_load (instr))
        continue;
      if (kernel->buffers[instr->buffer].space == TP_SPACE_LOCAL)
        add_local (wave, machines, n, i);
      else
        {
          g_autoptr (GArray) pieces = list_pieces (machines, n, i, PIECE);

          wave->global_bytes += PIECE * (gint64) pieces->len;
        }
    }
  for (int i = 0; i < n; i++)
    machine_clear (&machines[i]);
}

double
gpu_wave_get_traffic (const TpKernel *kernel)
{
  g_auto (Machine) m = { NULL };
  g_autoptr (GArray) trips = g_array_new (FALSE, FALSE, sizeof (double));
  double n_turns = 1.0, n_fma = 0.0, bytes = 0.0;

  machine_init (&m, kernel, 0);
  for (int i = 0; i < kernel->n_instrs; i++)
    {
      const TpInstr *instr = &kernel->instrs[i];

      if (instr->op == TP_I_FMA)
        n_fma += n_turns * instr->lanes;
      if (instr->op == TP_I_FOR)
        {
          double n = m.is_known[instr->a] && m.is_known[instr->b]
                         ? (double) (m.value[instr->b] - m.value[instr->a])
                               / (double) instr->imm
                         : 1.0;

          g_array_append_val (trips, n_turns);
          n_turns *= MAX (n, 1.0);
        }
      if (instr->op == TP_I_END_FOR)
        {
          n_turns = g_array_index (trips, double, trips->len - 1);
          g_array_set_size (trips, trips->len - 1);
        }
    }
  for (int i = 0; i < kernel->n_buffers; i++)
    if (kernel->buffers[i].space == TP_SPACE_GLOBAL)
      bytes += (double) kernel->buffers[i].n_elements
               * (double) tp_dtype_get_size (kernel->buffers[i].dtype);
  n_fma *= (double) kernel->n_groups * kernel->local_size;
  return n_fma > 0.0 ? bytes / n_fma : 0.0;
}
