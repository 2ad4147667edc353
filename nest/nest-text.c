/* nest-text.c: the canonical text of lowered programs. */
#include "config.h"

#include "nest/nest-text.h"

#include "ir/guard.h"
#include "ir/text.h"
#include "nest/nest-expr.h"
#include "nest/nest.h"

#include <string.h>

/* Numbers of loads and expressions in the order they are first needed, so that
 * neither dead ones nor the order of building show. */
typedef struct
{
  const TpNest *nest;
  GString *text;
  int *load_number;
  int *expr_number;
  int n_loads;
  int n_exprs;
} TextState;

/* What is made of thousands of kernels is not left to printf: that took half the
 * time of a text. */
static void
text_add_part (GString *text, const char *before, gint64 number)
{
  tp_text_append (text, before);
  tp_text_append_number (text, number);
}

/* With its sign, whichever it is. */
static void
text_add_term (GString *text, gint64 factor)
{
  text_add_part (text, factor < 0 ? "" : "+", factor);
}

static void
text_add_affine (GString *text, int n, const gint64 *stride, gint64 offset)
{
  tp_text_append_number (text, offset);
  for (int i = 0; i < n; i++)
    if (stride[i] != 0)
      {
        text_add_term (text, stride[i]);
        text_add_part (text, "i", i);
      }
}

static void
text_add_number (GString *text, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (text, g_ascii_dtostr (buffer, sizeof buffer, value));
}

/* @index: the number that the expression of the index was given. */
static void
text_add_access (GString *text, int n_axes, const TpAccess *access, int index)
{
  text_add_part (text, "@", access->operand);
  tp_text_append_c (text, '[');
  text_add_affine (text, n_axes, access->stride, access->offset);
  if (access->step != 0)
    {
      text_add_term (text, access->step);
      tp_text_append_c (text, 't');
    }
  if (access->index >= 0)
    g_string_append_printf (text,
                            "%+" G_GINT64_FORMAT "*e%d<%" G_GINT64_FORMAT,
                            access->index_stride, index, access->index_extent);
  g_string_append_c (text, ']');
  for (int i = 0; i < access->n_guards; i++)
    {
      g_string_append (text, " if 0<=");
      text_add_affine (text, n_axes, access->guards[i].coef,
                       access->guards[i].offset);
      text_add_part (text, "<", access->guards[i].extent);
    }
}

static int
text_add_load (TextState *state, int load)
{
  const TpAccess *access = &state->nest->loads[load];
  int index = access->index < 0 ? -1 : state->expr_number[access->index];

  if (state->load_number[load] < 0)
    {
      state->load_number[load] = state->n_loads++;
      text_add_part (state->text, "  l", state->load_number[load]);
      tp_text_append (state->text, " = ");
      text_add_access (state->text, state->nest->n_axes, access, index);
      if (access->n_guards > 0 || access->index >= 0)
        {
          g_string_append (state->text, " else ");
          text_add_number (state->text, access->fill);
        }
      g_string_append_c (state->text, '\n');
    }
  return state->load_number[load];
}

static void
text_add_const (GString *text, const TpExpr *expr)
{
  g_string_append_c (text, ' ');
  if (expr->is_integer)
    g_string_append_printf (text, "%" G_GINT64_FORMAT, expr->integer);
  else
    text_add_number (text, expr->value);
}

/* Of what has no operand to tell its class by, that too. */
static const char *
get_name (const TpExpr *expr)
{
  if (expr->op == TP_EXPR_CONST && expr->is_integer)
    return "integer";
  if (expr->op == TP_EXPR_CONST && expr->is_double)
    return "double";
  return expr->op == TP_EXPR_TO_REAL && expr->is_double
             ? "to_double"
             : tp_expr_get_name (expr->op);
}

/* Prints expression @i, all it needs being printed already. */
static void
text_add_expr (TextState *state, int i)
{
  const TpExpr *expr = &state->nest->exprs[i];
  int arity = tp_expr_arity (expr->op);
  int load = -1;

  if (expr->op == TP_EXPR_LOAD || expr->op == TP_EXPR_INSIDE)
    load = text_add_load (state, expr->index);
  state->expr_number[i] = state->n_exprs++;
  text_add_part (state->text, "  e", state->expr_number[i]);
  tp_text_append (state->text, " = ");
  tp_text_append (state->text, get_name (expr));
  if (load >= 0)
    text_add_part (state->text, " l", load);
  if (expr->op == TP_EXPR_STAGE)
    text_add_part (state->text, " s", expr->index);
  if (expr->op == TP_EXPR_CONST)
    text_add_const (state->text, expr);
  for (int k = 0; k < arity; k++)
    text_add_part (state->text, " e",
                   state->expr_number[k == 0   ? expr->a
                                      : k == 1 ? expr->b
                                               : expr->c]);
  g_string_append_c (state->text, '\n');
}

/* Depth first, operands from left to right, without recursion: an expression
 * may be a long chain. */
static void
text_add_tree (TextState *state, int root)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (int));

  g_array_append_val (stack, root);
  while (stack->len > 0)
    {
      int i = g_array_index (stack, int, stack->len - 1);
      int parts[3];
      int n = tp_nest_get_parts (state->nest, i, parts);
      int next = -1;

      for (int k = 0; k < n && next < 0; k++)
        if (state->expr_number[parts[k]] < 0)
          next = parts[k];
      if (next >= 0)
        {
          g_array_append_val (stack, next);
          continue;
        }
      if (state->expr_number[i] < 0)
        text_add_expr (state, i);
      g_array_set_size (stack, stack->len - 1);
    }
}

static void
text_add_nest (GString *text, const TpNest *nest)
{
  static const char *const combiners[] = { "sum", "max", "min", "prod",
                                           "place" };
  g_autofree int *loads = tp_new (int, nest->n_loads + 1);
  g_autofree int *exprs = tp_new (int, nest->n_exprs + 1);
  TextState state = { nest, text, loads, exprs, 0, 0 };
  int index = nest->store.index;

  memset (loads, -1, sizeof (int) * nest->n_loads);
  memset (exprs, -1, sizeof (int) * nest->n_exprs);
  g_string_append (text, "nest");
  for (int i = 0; i < nest->n_axes; i++)
    g_string_append_printf (text, " %s%" G_GINT64_FORMAT,
                            nest->axes[i].is_reduce ? "r"
                            : nest->axes[i].is_rank ? "k"
                                                    : "",
                            nest->axes[i].extent);
  g_string_append_c (text, '\n');
  for (int i = 0; i < nest->n_stages; i++)
    {
      text_add_tree (&state, nest->stages[i].expr);
      g_string_append_printf (text, "  s%d = %s e%d%s\n", i,
                              combiners[nest->stages[i].combiner],
                              exprs[nest->stages[i].expr],
                              nest->stages[i].is_small ? " small" : "");
    }
  text_add_tree (&state, nest->result);
  if (index >= 0)
    text_add_tree (&state, index);
  g_string_append (text, "  ");
  text_add_access (text, nest->n_axes, &nest->store,
                   index < 0 ? -1 : exprs[index]);
  g_string_append_printf (text, " = e%d\n", exprs[nest->result]);
}

char *
tp_lowered_to_text (const TpLowered *lowered)
{
  GString *text = g_string_new (NULL);

  for (int i = 0; i < lowered->n_operands; i++)
    {
      const TpOperand *operand = &lowered->operands[i];

      g_string_append_printf (text, "@%d %s %" G_GINT64_FORMAT "%s%s%s\n", i,
                              tp_dtype_get_name (operand->dtype),
                              operand->n_elements,
                              operand->is_constant ? " constant" : "",
                              operand->is_output ? " output" : "",
                              operand->is_scratch ? " scratch"
                              : operand->is_iota  ? " iota"
                                                  : "");
    }
  for (int i = 0; i < lowered->n_nests; i++)
    {
      if (lowered->n_iterations != 1 && i == lowered->first_repeated)
        g_string_append_printf (text, "repeat %" G_GINT64_FORMAT "\n",
                                lowered->n_iterations);
      text_add_nest (text, lowered->nests[i]);
    }
  return g_string_free (text, FALSE);
}
