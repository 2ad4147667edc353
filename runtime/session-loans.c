/* session-loans.c: see session-loans.h. */
#include "config.h"

#include "runtime/session-loans.h"

#include "ir/dtype.h"
#include "ir/guard.h"
#include "runtime/host.h"

/* Who touches a storage besides kernels that read it. */
typedef struct
{
  int n_feeds, n_fetches, n_moves;
  int n_writers;              /* units */
} Uses;

static void
count_written (const TpSession *session, int unit, Uses *uses)
{
  const TpPlacedUnit *it = &session->execution->units->units[unit];
  const TpUnit described = { .graph = session->graph, .n_nodes = it->n_nodes,
                             .nodes = it->nodes,
                             .lowered = session->units[unit].lowered };
  g_autoptr (TpArray) operands = tp_unit_list_operands (&described);

  for (guint i = 0; i < operands->len; i++)
    {
      const TpUnitOperand *operand
          = &tp_array_index (operands, TpUnitOperand, i);
      int storage = operand->tensor < 0
                        ? -1
                        : tp_execution_find_storage (
                            session->execution, operand->tensor, it->device);

      if (storage >= 0 && operand->is_written)
        uses[storage].n_writers++;
    }
}

static Uses *
count_uses (const TpSession *session)
{
  const TpExecution *execution = session->execution;
  Uses *uses = tp_new0 (Uses, execution->n_storages + 1);

  for (int i = 0; i < execution->n_actions; i++)
    {
      const TpAction *action = &execution->actions[i];

      if (action->kind == TP_DO_FEED)
        uses[action->dst].n_feeds++;
      else if (action->kind == TP_DO_FETCH)
        uses[action->src].n_fetches++;
      else if (action->kind == TP_DO_MOVE)
        {
          uses[action->src].n_moves++;
          uses[action->dst].n_moves++;
        }
      else if (action->kind == TP_DO_LAUNCH)
        count_written (session, action->unit, uses);
    }
  return uses;
}

/* An input that is only read, or an output that is nothing else to the graph; and
 * the storage is the tensor and no more. */
static gboolean
can_lend (const TpSession *session, int storage, const Uses *uses,
          gint64 size_bytes)
{
  const TpStorage *it = &session->execution->storages[storage];

  return tp_session_get_device (session, storage)->info.takes_loans
         && !it->is_constant && it->size_bytes == size_bytes
         && uses->n_feeds + uses->n_fetches == 1 && uses->n_moves == 0
         && (uses->n_feeds == 0 || uses->n_writers == 0);
}

void
tp_session_find_loans (TpSession *session)
{
  const TpExecution *execution = session->execution;
  g_autofree Uses *uses = count_uses (session);

  for (int i = 0; i < execution->n_actions; i++)
    {
      const TpAction *action = &execution->actions[i];
      int storage = action->kind == TP_DO_FEED ? action->dst : action->src;
      TpSessionLoan loan = { storage, -1, -1, action->size_bytes, 1 };

      if ((action->kind != TP_DO_FEED && action->kind != TP_DO_FETCH)
          || !can_lend (session, storage, &uses[storage], action->size_bytes))
        continue;
      loan.input = action->kind == TP_DO_FEED ? action->input : -1;
      loan.output = action->kind == TP_DO_FETCH ? action->output : -1;
      loan.alignment
          = tp_dtype_get_size (session->graph->tensors[action->tensor].dtype);
      tp_array_append_val (session->loans, loan);
    }
}

/* ---- a run --------------------------------------------------------------- */

static char *
find_array (const TpSessionRun *run, const TpSessionLoan *loan)
{
  return loan->input >= 0 ? (char *) run->inputs[loan->input]
                          : (char *) run->outputs[loan->output];
}

static gboolean
overlap (const char *a, gint64 a_bytes, const char *b, gint64 b_bytes)
{
  return a < b + b_bytes && b < a + a_bytes;
}

/* Whether some array that is written overlaps another: then all are copied, as what
 * is read first and written last needs it. */
static gboolean
has_overlap (const TpSessionRun *run)
{
  const TpGraph *graph = run->session->graph;

  for (int i = 0; i < graph->n_outputs; i++)
    {
      const char *out = run->outputs[i];
      gint64 out_bytes = graph->tensors[graph->outputs[i]].size_bytes;

      for (int k = 0; k < i; k++)
        if (overlap (out, out_bytes, run->outputs[k],
                     graph->tensors[graph->outputs[k]].size_bytes))
          return TRUE;
      for (int k = 0; k < graph->n_inputs; k++)
        if (overlap (out, out_bytes, run->inputs[k],
                     graph->tensors[graph->inputs[k]].size_bytes))
          return TRUE;
    }
  return FALSE;
}

void
tp_session_lend (const TpSessionRun *run)
{
  const TpArray *loans = run->session->loans;

  if (loans->len == 0 || has_overlap (run))
    return;
  for (guint i = 0; i < loans->len; i++)
    {
      const TpSessionLoan *loan = &tp_array_index (loans, TpSessionLoan, i);
      char *array = find_array (run, loan);

      if ((guintptr) array % loan->alignment == 0)
        tp_host_buf_lend (run->slot->bufs[loan->storage], array);
    }
}

void
tp_session_take_back (const TpSessionRun *run)
{
  const TpArray *loans = run->session->loans;

  for (guint i = 0; i < loans->len; i++)
    tp_host_buf_lend (
        run->slot->bufs[tp_array_index (loans, TpSessionLoan, i).storage],
        NULL);
}
