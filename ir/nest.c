/* nest.c: building loop nests, their canonical text, and the work they do.
 *
 * Arrays grow by doubling and carry no capacity: it follows from the count. */
#include "config.h"

#include "ir/nest.h"

#include <string.h>

/* ---- arrays ------------------------------------------------------------ */

static gsize
array_capacity (int n)
{
  gsize capacity = 4;

  while (capacity < (gsize)n)
    capacity *= 2;
  return capacity;
}

/* Makes room for one more than @n elements of @size bytes. */
static gpointer
array_grow (gpointer array, int n, gsize size)
{
  if (array != NULL && (gsize)n < array_capacity (n))
    return array;
  return g_realloc_n (array, array_capacity (n + 1), size);
}

static gpointer
array_copy (gconstpointer array, int n, gsize size)
{
  gpointer copy = NULL;

  if (n == 0)
    return NULL;
  copy = g_malloc_n (array_capacity (n), size);
  memcpy (copy, array, n * size);
  return copy;
}

/* ---- building ---------------------------------------------------------- */

TpNest *
tp_nest_new (void)
{
  return g_new0 (TpNest, 1);
}

void
tp_nest_free (TpNest *nest)
{
  if (nest == NULL)
    return;
  g_free (nest->loads);
  g_free (nest->exprs);
  g_free (nest->stages);
  g_free (nest);
}

TpNest *
tp_nest_copy (const TpNest *nest)
{
  TpNest *copy = g_new (TpNest, 1);

  *copy = *nest;
  copy->loads = array_copy (nest->loads, nest->n_loads, sizeof (TpAccess));
  copy->exprs = array_copy (nest->exprs, nest->n_exprs, sizeof (TpExpr));
  copy->stages = array_copy (nest->stages, nest->n_stages, sizeof (TpStage));
  return copy;
}

int
tp_nest_add_axis (TpNest *nest, gint64 extent, gboolean is_reduce)
{
  g_assert (nest->n_axes < TP_NEST_MAX_AXES);
  nest->axes[nest->n_axes] = (TpAxis){ extent, is_reduce };
  return nest->n_axes++;
}

TpAccess *
tp_nest_add_load (TpNest *nest, int operand)
{
  TpAccess *load = NULL;

  nest->loads = array_grow (nest->loads, nest->n_loads, sizeof (TpAccess));
  load = &nest->loads[nest->n_loads++];
  memset (load, 0, sizeof *load);
  load->operand = operand;
  return load;
}

int
tp_nest_add_stage (TpNest *nest, TpCombiner combiner, int expr)
{
  g_assert (expr >= 0 && expr < nest->n_exprs);
  nest->stages = array_grow (nest->stages, nest->n_stages, sizeof (TpStage));
  nest->stages[nest->n_stages] = (TpStage){ combiner, expr };
  return nest->n_stages++;
}

static gboolean
expr_equal (const TpExpr *a, const TpExpr *b)
{
  return a->op == b->op && a->a == b->a && a->b == b->b && a->c == b->c
         && a->index == b->index
         && memcmp (&a->value, &b->value, sizeof a->value) == 0;
}

static int
nest_add_expr (TpNest *nest, const TpExpr *expr)
{
  g_assert (expr->a < nest->n_exprs && expr->b < nest->n_exprs
            && expr->c < nest->n_exprs);
  for (int i = 0; i < nest->n_exprs; i++)
    if (expr_equal (&nest->exprs[i], expr))
      return i;
  nest->exprs = array_grow (nest->exprs, nest->n_exprs, sizeof (TpExpr));
  nest->exprs[nest->n_exprs] = *expr;
  return nest->n_exprs++;
}

int
tp_nest_const (TpNest *nest, double value)
{
  return nest_add_expr (
      nest,
      &(TpExpr){
          .op = TP_EXPR_CONST, .a = -1, .b = -1, .c = -1, .value = value });
}

int
tp_nest_load (TpNest *nest, int load)
{
  g_assert (load >= 0 && load < nest->n_loads);
  return nest_add_expr (
      nest, &(TpExpr){
                .op = TP_EXPR_LOAD, .a = -1, .b = -1, .c = -1, .index = load });
}

int
tp_nest_inside (TpNest *nest, int load)
{
  g_assert (load >= 0 && load < nest->n_loads);
  return nest_add_expr (
      nest,
      &(TpExpr){
          .op = TP_EXPR_INSIDE, .a = -1, .b = -1, .c = -1, .index = load });
}

int
tp_nest_stage (TpNest *nest, int stage)
{
  g_assert (stage >= 0 && stage < nest->n_stages);
  return nest_add_expr (
      nest,
      &(TpExpr){
          .op = TP_EXPR_STAGE, .a = -1, .b = -1, .c = -1, .index = stage });
}

int
tp_nest_unary (TpNest *nest, TpExprOp op, int a)
{
  g_assert (tp_expr_arity (op) == 1);
  return nest_add_expr (nest, &(TpExpr){ .op = op, .a = a, .b = -1, .c = -1 });
}

int
tp_nest_binary (TpNest *nest, TpExprOp op, int a, int b)
{
  g_assert (tp_expr_arity (op) == 2);
  return nest_add_expr (nest, &(TpExpr){ .op = op, .a = a, .b = b, .c = -1 });
}

int
tp_nest_select (TpNest *nest, int a, int b, int c)
{
  return nest_add_expr (
      nest, &(TpExpr){ .op = TP_EXPR_SELECT, .a = a, .b = b, .c = c });
}

/* ---- lowered ----------------------------------------------------------- */

TpLowered *
tp_lowered_new (void)
{
  return g_new0 (TpLowered, 1);
}

void
tp_lowered_free (TpLowered *lowered)
{
  if (lowered == NULL)
    return;
  for (int i = 0; i < lowered->n_nests; i++)
    tp_nest_free (lowered->nests[i]);
  g_free (lowered->nests);
  g_free (lowered->operands);
  g_free (lowered);
}

int
tp_lowered_add_operand (TpLowered *lowered, const TpOperand *operand)
{
  lowered->operands =
      array_grow (lowered->operands, lowered->n_operands, sizeof *operand);
  lowered->operands[lowered->n_operands] = *operand;
  return lowered->n_operands++;
}

void
tp_lowered_take_nest (TpLowered *lowered, TpNest *nest)
{
  lowered->nests =
      array_grow (lowered->nests, lowered->n_nests, sizeof (TpNest *));
  lowered->nests[lowered->n_nests++] = nest;
}

/* ---- expressions ------------------------------------------------------- */

static const struct
{
  const char *name;
  int arity;
} expr_ops[TP_N_EXPR_OPS] = {
  [TP_EXPR_CONST] = { "const", 0 },   [TP_EXPR_LOAD] = { "load", 0 },
  [TP_EXPR_STAGE] = { "stage", 0 },   [TP_EXPR_INSIDE] = { "inside", 0 },
  [TP_EXPR_ADD] = { "add", 2 },       [TP_EXPR_SUB] = { "sub", 2 },
  [TP_EXPR_MUL] = { "mul", 2 },       [TP_EXPR_DIV] = { "div", 2 },
  [TP_EXPR_MIN] = { "min", 2 },       [TP_EXPR_MAX] = { "max", 2 },
  [TP_EXPR_POW] = { "pow", 2 },       [TP_EXPR_NEG] = { "neg", 1 },
  [TP_EXPR_ABS] = { "abs", 1 },       [TP_EXPR_EXP] = { "exp", 1 },
  [TP_EXPR_LOG] = { "log", 1 },       [TP_EXPR_TANH] = { "tanh", 1 },
  [TP_EXPR_ERF] = { "erf", 1 },       [TP_EXPR_SIGMOID] = { "sigmoid", 1 },
  [TP_EXPR_SQRT] = { "sqrt", 1 },     [TP_EXPR_FLOOR] = { "floor", 1 },
  [TP_EXPR_LESS] = { "less", 2 },     [TP_EXPR_EQUAL] = { "equal", 2 },
  [TP_EXPR_SELECT] = { "select", 3 },
};

int
tp_expr_arity (TpExprOp op)
{
  g_assert (op < TP_N_EXPR_OPS);
  return expr_ops[op].arity;
}

const char *
tp_expr_get_name (TpExprOp op)
{
  g_assert (op < TP_N_EXPR_OPS);
  return expr_ops[op].name;
}

void
tp_nest_mark_used (const TpNest *nest, int expr, gboolean *used)
{
  used[expr] = TRUE;
  for (int i = expr; i >= 0; i--)
    {
      const TpExpr *e = &nest->exprs[i];
      int arity = tp_expr_arity (e->op);

      if (!used[i])
        continue;
      if (arity > 0)
        used[e->a] = TRUE;
      if (arity > 1)
        used[e->b] = TRUE;
      if (arity > 2)
        used[e->c] = TRUE;
    }
}

gboolean
tp_nest_covers_reduce (const TpNest *nest)
{
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce && nest->store.stride[i] != 0)
      return TRUE;
  return FALSE;
}

/* ---- canonical text ---------------------------------------------------- */

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

static void
text_add_affine (GString *text, int n, const gint64 *stride, gint64 offset)
{
  g_string_append_printf (text, "%" G_GINT64_FORMAT, offset);
  for (int i = 0; i < n; i++)
    if (stride[i] != 0)
      g_string_append_printf (text, "%+" G_GINT64_FORMAT "i%d", stride[i], i);
}

static void
text_add_number (GString *text, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (text, g_ascii_dtostr (buffer, sizeof buffer, value));
}

static void
text_add_access (GString *text, int n_axes, const TpAccess *access)
{
  g_string_append_printf (text, "@%d[", access->operand);
  text_add_affine (text, n_axes, access->stride, access->offset);
  g_string_append_c (text, ']');
  for (int i = 0; i < access->n_guards; i++)
    {
      g_string_append (text, " if 0<=");
      text_add_affine (text, n_axes, access->guards[i].coef,
                       access->guards[i].offset);
      g_string_append_printf (text, "<%" G_GINT64_FORMAT,
                              access->guards[i].extent);
    }
  if (access->n_guards > 0)
    {
      g_string_append (text, " else ");
      text_add_number (text, access->fill);
    }
}

static int
text_add_load (TextState *state, int load)
{
  if (state->load_number[load] < 0)
    {
      state->load_number[load] = state->n_loads++;
      g_string_append_printf (state->text,
                              "  l%d = ", state->load_number[load]);
      text_add_access (state->text, state->nest->n_axes,
                       &state->nest->loads[load]);
      g_string_append_c (state->text, '\n');
    }
  return state->load_number[load];
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
  g_string_append_printf (state->text, "  e%d = %s", state->expr_number[i],
                          tp_expr_get_name (expr->op));
  if (load >= 0)
    g_string_append_printf (state->text, " l%d", load);
  if (expr->op == TP_EXPR_STAGE)
    g_string_append_printf (state->text, " s%d", expr->index);
  if (expr->op == TP_EXPR_CONST)
    {
      g_string_append_c (state->text, ' ');
      text_add_number (state->text, expr->value);
    }
  for (int k = 0; k < arity; k++)
    g_string_append_printf (state->text, " e%d",
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
      const TpExpr *expr = &state->nest->exprs[i];
      int args[3] = { expr->a, expr->b, expr->c };
      int next = -1;

      for (int k = 0; k < tp_expr_arity (expr->op) && next < 0; k++)
        if (state->expr_number[args[k]] < 0)
          next = args[k];
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
  static const char *const combiners[] = { "sum", "max", "min", "prod" };
  g_autofree int *loads = g_new (int, nest->n_loads + 1);
  g_autofree int *exprs = g_new (int, nest->n_exprs + 1);
  TextState state = { nest, text, loads, exprs, 0, 0 };

  memset (loads, -1, sizeof (int) * nest->n_loads);
  memset (exprs, -1, sizeof (int) * nest->n_exprs);
  g_string_append (text, "nest");
  for (int i = 0; i < nest->n_axes; i++)
    g_string_append_printf (text, " %s%" G_GINT64_FORMAT,
                            nest->axes[i].is_reduce ? "r" : "",
                            nest->axes[i].extent);
  g_string_append_c (text, '\n');
  for (int i = 0; i < nest->n_stages; i++)
    {
      text_add_tree (&state, nest->stages[i].expr);
      g_string_append_printf (text, "  s%d = %s e%d\n", i,
                              combiners[nest->stages[i].combiner],
                              exprs[nest->stages[i].expr]);
    }
  text_add_tree (&state, nest->result);
  g_string_append (text, "  ");
  text_add_access (text, nest->n_axes, &nest->store);
  g_string_append_printf (text, " = e%d\n", exprs[nest->result]);
}

char *
tp_lowered_to_text (const TpLowered *lowered)
{
  GString *text = g_string_new (NULL);

  for (int i = 0; i < lowered->n_operands; i++)
    {
      const TpOperand *operand = &lowered->operands[i];

      g_string_append_printf (text, "@%d %s %" G_GINT64_FORMAT "%s%s\n", i,
                              tp_dtype_get_name (operand->dtype),
                              operand->n_elements,
                              operand->is_constant ? " constant" : "",
                              operand->is_output ? " output" : "");
    }
  for (int i = 0; i < lowered->n_nests; i++)
    text_add_nest (text, lowered->nests[i]);
  return g_string_free (text, FALSE);
}
