/* cmd-ops.c: the op table, printed. */
#include "config.h"

#include "cli/cli.h"
#include "cli/csv.h"
#include "cli/text.h"
#include "ir/op.h"
#include "ops/op.h"

static const char *const kind_names[] = {
  [TP_OP_MAP] = "map",       [TP_OP_REDUCE] = "reduce",
  [TP_OP_CONTRACT] = "contract", [TP_OP_WINDOW] = "window",
  [TP_OP_MOVE] = "move",     [TP_OP_VIEW] = "view",
  [TP_OP_RECURRENT] = "recurrent", [TP_OP_OPAQUE] = "opaque",
};

static char *
format_arity (const TpOp *op)
{
  if (op->n_inputs_max == TP_VARIADIC)
    return g_strdup_printf ("%d+", op->n_inputs_min);
  if (op->n_inputs_max == op->n_inputs_min)
    return g_strdup_printf ("%d", op->n_inputs_min);
  return g_strdup_printf ("%d-%d", op->n_inputs_min, op->n_inputs_max);
}

static char *
format_attrs (const TpOp *op)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (const TpAttrSpec *at = op->attrs; at != NULL && at->name != NULL; at++)
    g_string_append_printf (text, "%s%s%s", text->len == 0 ? "" : " ",
                            at->name, at->is_required ? "!" : "");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static json_t *
op_to_json (const TpOp *op)
{
  json_t *attrs = json_array ();

  for (const TpAttrSpec *at = op->attrs; at != NULL && at->name != NULL; at++)
    json_array_append_new (attrs, json_pack ("{s:s, s:b}", "name", at->name,
                                             "required", at->is_required));
  return json_pack ("{s:s, s:s, s:i, s:o, s:o, s:f}", "name", op->name, "kind",
                    kind_names[op->kind], "inputs_min", op->n_inputs_min,
                    "inputs_max",
                    op->n_inputs_max == TP_VARIADIC
                        ? json_null ()
                        : json_integer (op->n_inputs_max),
                    "attributes", attrs, "tolerance", op->tolerance);
}

static gboolean
ops_run (TpCli *cli, GError **error)
{
  static const char *const headers[]
      = { "OP", "KIND", ">INPUTS", ">TOLERANCE", "ATTRIBUTES", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);
  json_t *list = json_array ();
  int n;
  const TpOp *const *ops = tp_op_list (&n);

  (void) error;
  for (int i = 0; i < n; i++)
    {
      tp_table_add (table, g_strdup (ops[i]->name),
                    g_strdup (kind_names[ops[i]->kind]), format_arity (ops[i]),
                    g_strdup_printf ("%g", ops[i]->tolerance),
                    format_attrs (ops[i]));
      json_array_append_new (list, op_to_json (ops[i]));
    }
  if (cli->format != TP_FORMAT_TABLE)
    tp_cli_print_data (
        cli, json_pack ("{s:s, s:o}", "format", "tplan-ops/1", "ops", list),
        "ops");
  else
    {
      json_decref (list);
      tp_table_print (table, cli);
    }
  return TRUE;
}

const TpCommand tp_command_ops = {
  .name = "ops",
  .arguments = "",
  .summary = "Lists the ops tplan knows, as ONNX names them",
  .details = "Attributes marked '!' must be given. TOLERANCE is the largest "
             "relative error\nthat a device may show against the reference.",
  .uses = TP_USES_FORMAT,
  .run = ops_run,
};
