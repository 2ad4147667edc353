/* pass-recognise.c: what exporters write for an op that ONNX had not yet becomes
 * that op: one node, one kernel, and a value that is read once, so that the
 * product before it can take it in.
 *
 * A pattern is an expression in brackets. Small letters stand for any tensor, the
 * same one for the same letter; a number for a constant within 0.01 %; # for any
 * number, the same one everywhere, kept as epsilon. Add and Mul try both orders.
 * Some heads stand for more than a name: Scale, multiplied by a number or divided
 * by its inverse; Square, Pow (x, 2) or x * x; Mean, ReduceMean over the last
 * dimensions; Ramp, the HardSigmoid from -3 to 3. */
#include "config.h"

#include "graph/graph-draft-make.h"
#include "graph/pass.h"
#include "ir/graph-value.h"
#include "ir/guard.h"
#include "ops/op.h"

#include <math.h>
#include <string.h>

#define MAX_MATCHED 24 /* nodes of a pattern */
#define LETTERS "xsb"
#define N_LETTERS 3

typedef struct
{
  TpDraft *draft;
  int letters[N_LETTERS];     /* tensors, -1: not seen */
  int n_nodes;
  int nodes[MAX_MATCHED];     /* each once; the first is the result's */
  int n_dims;                 /* of Mean; 0: not seen */
  gboolean has_epsilon;
  double epsilon;
} Match;

typedef struct
{
  const char *type;           /* what it becomes */
  const char *inputs;         /* letters; '1': a constant 1 */
  const char *attr;           /* "approximate" = "tanh", or NULL */
  const char *pattern;
} Rule;

#define ERF "(Add (Erf (Scale x 0.70710678)) 1)"
#define TANH(inner) "(Add (Tanh " inner ") 1)"
#define CUBIC(cube) "(Scale (Add (Scale " cube " 0.044715) x) 0.79788456)"
#define HORNER                                                                \
  "(Mul (Scale x 0.79788456) (Add (Scale (Square x) 0.044715) 1))"
#define GELU(attr, part)                                                      \
  { "Gelu", "x", attr, "(Scale (Mul " part " x) 0.5)" },                      \
  { "Gelu", "x", attr, "(Mul " part " (Scale x 0.5))" },                      \
  { "Gelu", "x", attr, "(Mul (Scale " part " 0.5) x)" }

#define CENTRED "(Sub x (Mean x))"
#define DEVIATION "(Sqrt (Add (Mean (Square " CENTRED ")) #))"
#define NORMAL "(Div " CENTRED " " DEVIATION ")"
#define FACTOR "(Mul (Reciprocal " DEVIATION ") s)"

#define SPREAD "(Add (Mean (Square x)) #)"
#define RMS(normal)                                                           \
  { "RMSNormalization", "xs", NULL, "(Mul " normal " s)" },                   \
  { "RMSNormalization", "x1", NULL, normal }

#define HARD "(Clip (Add x 3) 0 6)"

static const Rule rules[] = {
  GELU (NULL, ERF),
  GELU ("tanh", TANH (CUBIC ("(Pow x 3)"))),
  GELU ("tanh", TANH (CUBIC ("(Mul x (Mul x x))"))),
  GELU ("tanh", TANH (HORNER)),
  { "LayerNormalization", "xsb", NULL, "(Add (Mul " NORMAL " s) b)" },
  { "LayerNormalization", "xsb", NULL,
    "(Add (Mul " FACTOR " x) (Sub b (Mul " FACTOR " (Mean x))))" },
  { "LayerNormalization", "xs", NULL, "(Mul " NORMAL " s)" },
  { "LayerNormalization", "x1", NULL, NORMAL },
  RMS ("(Div x (Sqrt " SPREAD "))"),
  RMS ("(Mul (Reciprocal (Sqrt " SPREAD ")) x)"),
  RMS ("(Mul (Div 1 (Sqrt " SPREAD ")) x)"),
  RMS ("(Mul (Pow " SPREAD " -0.5) x)"),
  { "Swish", "x", NULL, "(Mul (Sigmoid x) x)" },
  { "HardSwish", "x", NULL, "(Mul (Ramp x) x)" },
  { "HardSwish", "x", NULL, "(Mul (Scale " HARD " 0.16666667) x)" },
  { "HardSwish", "x", NULL, "(Scale (Mul " HARD " x) 0.16666667)" },
};

/* ---- matching ----------------------------------------------------------- */

static const char *match (Match *m, const char *p, int tensor);

/* Behind one term and the space after it. */
static const char *
skip_term (const char *p)
{
  int depth = 0;

  do
    {
      depth += (*p == '(') - (*p == ')');
      p++;
    }
  while (depth > 0 || (*p != ' ' && *p != ')' && *p != '\0'));
  return p + (*p == ' ');
}

static gboolean
get_number (const Match *m, int tensor, double *out)
{
  const TpTensor *t = tensor < 0 ? NULL : tp_draft_tensor (m->draft, tensor);

  if (t == NULL || t->count != 1 || !tp_tensor_is_constant (t))
    return FALSE;
  tp_tensor_write_doubles (t, out);
  return TRUE;
}

/* Or what its type has nearest to it. */
static gboolean
is_number (const Match *m, int tensor, double wanted)
{
  double value = 0.0, off = 1e-4;

  if (!get_number (m, tensor, &value))
    return FALSE;
  off = MAX (off, tp_dtype_get (tp_draft_tensor (m->draft, tensor)->dtype)
                      ->rounding);
  return fabs (value - wanted) <= off * fabs (wanted);
}

static const char *
match_pair (Match *m, const char *p, int a, int b)
{
  p = match (m, p, a);
  return p == NULL ? NULL : match (m, p, b);
}

/* The two inputs of @node in either order. */
static const char *
match_commuting (Match *m, const char *p, const TpNode *node)
{
  Match before = *m;
  const char *end = match_pair (m, p, node->inputs[0], node->inputs[1]);

  if (end != NULL)
    return end;
  *m = before;
  return match_pair (m, p, node->inputs[1], node->inputs[0]);
}

static const char *
match_scale (Match *m, const char *p, const TpNode *node)
{
  gboolean is_mul = tp_node_is (node, "Mul");
  int constant = 1;
  double factor;

  if (!is_mul && !tp_node_is (node, "Div"))
    return NULL;
  factor = g_ascii_strtod (skip_term (p), NULL);
  if (is_mul && !is_number (m, node->inputs[1], factor))
    constant = 0;
  if (!is_number (m, node->inputs[constant], is_mul ? factor : 1 / factor))
    return NULL;
  p = match (m, p, node->inputs[1 - constant]);
  return p == NULL ? NULL : skip_term (p);
}

static const char *
match_square (Match *m, const char *p, const TpNode *node)
{
  gboolean is_product = tp_node_is (node, "Mul")
                        && node->inputs[0] == node->inputs[1];
  gboolean is_power = tp_node_is (node, "Pow")
                      && is_number (m, node->inputs[1], 2.0);

  return is_product || is_power ? match (m, p, node->inputs[0]) : NULL;
}

/* What @node reduces: an attribute, or from opset 18 on a constant, put into
 * @given. */
static const gint64 *
get_axes (const Match *m, const TpNode *node, gint64 *given, int *out_n)
{
  const TpTensor *axes = NULL;
  double values[TP_MAX_RANK];

  *out_n = 0;
  if (node->n_inputs < 2 || node->inputs[1] < 0)
    return tp_node_get_ints (node, "axes", out_n);
  axes = tp_draft_tensor (m->draft, node->inputs[1]);
  if (!tp_tensor_is_constant (axes) || axes->count > TP_MAX_RANK)
    return given;
  tp_tensor_write_doubles (axes, values);
  *out_n = (int) axes->count;
  for (int i = 0; i < *out_n; i++)
    given[i] = (gint64) values[i];
  return given;
}

/* How many of the last dimensions @node reduces, its output keeping them as 1;
 * 0: not that. */
static int
count_reduced (const Match *m, const TpNode *node)
{
  const TpTensor *x = tp_draft_tensor (m->draft, node->inputs[0]);
  const TpTensor *out = tp_draft_tensor (m->draft, node->outputs[0]);
  gint64 given[TP_MAX_RANK];
  int n = 0;
  const gint64 *axes = get_axes (m, node, given, &n);

  if (n == 0 || n > x->rank || out->rank != x->rank)
    return 0;
  for (int k = x->rank - n; k < x->rank; k++)
    {
      gboolean is_there = FALSE;

      for (int i = 0; i < n; i++)
        is_there |= axes[i] == k || axes[i] + x->rank == k;
      if (!is_there)
        return 0;
    }
  return n;
}

static const char *
match_mean (Match *m, const char *p, const TpNode *node)
{
  int n = tp_node_is (node, "ReduceMean") ? count_reduced (m, node) : 0;

  if (n == 0 || (m->n_dims != 0 && n != m->n_dims))
    return NULL;
  m->n_dims = n;
  return match (m, p, node->inputs[0]);
}

static const char *
match_ramp (Match *m, const char *p, const TpNode *node)
{
  if (!tp_node_is (node, "HardSigmoid")
      || fabs (tp_node_get_float (node, "alpha", 0.2) * 6 - 1) > 1e-5
      || tp_node_get_float (node, "beta", 0.5) != 0.5)
    return NULL;
  return match (m, p, node->inputs[0]);
}

static const char *
match_inputs (Match *m, const char *p, const TpNode *node)
{
  for (int i = 0; p != NULL && i < node->n_inputs; i++)
    p = *p == ')' ? NULL : match (m, p, node->inputs[i]);
  return p;
}

static gboolean
add_node (Match *m, int node)
{
  for (int i = 0; i < m->n_nodes; i++)
    if (m->nodes[i] == node)
      return TRUE;
  if (m->n_nodes == MAX_MATCHED)
    return FALSE;
  m->nodes[m->n_nodes++] = node;
  return TRUE;
}

static const char *
match_head (Match *m, const char *p, const TpNode *node)
{
  const char *inputs = strchr (p, ' ') + 1;
  gsize n = inputs - 1 - p;
  gboolean is_binary = node->n_inputs == 2;

  if (strncmp (p, "Scale", n) == 0)
    return is_binary ? match_scale (m, inputs, node) : NULL;
  if (strncmp (p, "Square", n) == 0)
    return is_binary ? match_square (m, inputs, node) : NULL;
  if (strncmp (p, "Mean", n) == 0)
    return match_mean (m, inputs, node);
  if (strncmp (p, "Ramp", n) == 0)
    return match_ramp (m, inputs, node);
  if (strlen (node->type) != n || strncmp (p, node->type, n) != 0)
    return NULL;
  if (is_binary && (tp_node_is (node, "Add")
                    || tp_node_is (node, "Mul")))
    return match_commuting (m, inputs, node);
  return match_inputs (m, inputs, node);
}

static int *
get_letter (Match *m, char letter)
{
  return &m->letters[strchr (LETTERS, letter) - LETTERS];
}

static const char *
match_epsilon (Match *m, const char *p, int tensor)
{
  double value = 0.0;

  if (!get_number (m, tensor, &value)
      || (m->has_epsilon && value != m->epsilon))
    return NULL;
  m->has_epsilon = TRUE;
  m->epsilon = value;
  return skip_term (p);
}

static const char *
match_letter (Match *m, const char *p, int tensor)
{
  int *letter = get_letter (m, *p);

  if (*letter >= 0 && *letter != tensor)
    return NULL;
  *letter = tensor;
  return skip_term (p);
}

/* The term at @p against @tensor; where the next begins, or NULL. Recursion is
 * as deep as the pattern. */
static const char *
match (Match *m, const char *p, int tensor)
{
  const TpNode *node;
  int producer;

  if (tensor < 0)
    return NULL;
  if (g_ascii_islower (*p))
    return match_letter (m, p, tensor);
  if (*p == '#')
    return match_epsilon (m, p, tensor);
  if (*p != '(')
    return is_number (m, tensor, g_ascii_strtod (p, NULL)) ? skip_term (p)
                                                           : NULL;
  producer = tp_draft_tensor (m->draft, tensor)->producer;
  node = producer < 0 ? NULL : tp_draft_node (m->draft, producer);
  if (node == NULL || node->type == NULL || node->n_outputs != 1
      || !add_node (m, producer))
    return NULL;
  p = match_head (m, p + 1, node);
  if (p == NULL || *p != ')')
    return NULL;
  return p[1] == ' ' ? p + 2 : p + 1;
}

/* ---- replacing ---------------------------------------------------------- */

/* Nothing but the pattern reads what it makes on the way, and no one has said
 * where these ops go or what they cost. */
static gboolean
is_private (const Match *m, const int *n_uses)
{
  for (int i = 0; i < m->n_nodes; i++)
    {
      const TpNode *node = tp_draft_node (m->draft, m->nodes[i]);
      int n = 0;

      if (tp_node_is_told (node))
        return FALSE;
      for (int j = 0; i > 0 && j < m->n_nodes; j++)
        {
          const TpNode *reader = tp_draft_node (m->draft, m->nodes[j]);

          for (int k = 0; k < reader->n_inputs; k++)
            n += reader->inputs[k] == node->outputs[0];
        }
      if (i > 0 && n != n_uses[node->outputs[0]])
        return FALSE;
    }
  return TRUE;
}

static gboolean
keeps_shape (Match *m)
{
  const TpTensor *x = tp_draft_tensor (m->draft, *get_letter (m, 'x'));
  const TpNode *root = tp_draft_node (m->draft, m->nodes[0]);
  const TpTensor *out = tp_draft_tensor (m->draft, root->outputs[0]);

  return tp_dtype_get (x->dtype)->compute == TP_COMPUTE_FLOAT32
         && x->dtype == out->dtype && x->rank == out->rank
         && memcmp (x->dims, out->dims, x->rank * sizeof x->dims[0]) == 0;
}

static int
add_one (TpDraft *draft, TpDtype dtype, GError **error)
{
  TpTensor one = { .producer = -1,
                   .init = { .kind = TP_INIT_FILL, .value = 1.0 } };

  tp_draft_set_shape (draft, &one, dtype, 0, NULL);
  one.name = tp_draft_make_tensor_name (draft, "one", "", error);
  return one.name == NULL ? -1 : tp_draft_add_tensor (draft, &one);
}

static TpAttr *
make_attrs (const Match *m, const Rule *rule, int *out_n, GError **error)
{
  TpAttr *attrs = tp_region_alloc (m->draft->region, 2, sizeof *attrs, error);

  *out_n = 0;
  if (attrs == NULL)
    return NULL;
  if (rule->attr != NULL)
    attrs[(*out_n)++] = (TpAttr){ .name = "approximate",
                                  .kind = TP_ATTR_STRING, .s = rule->attr };
  if (m->n_dims == 0)
    return attrs;
  attrs[(*out_n)++]
      = (TpAttr){ .name = "axis", .kind = TP_ATTR_INT, .i = -m->n_dims };
  attrs[(*out_n)++] = (TpAttr){ .name = "epsilon", .kind = TP_ATTR_FLOAT,
                                .f = m->epsilon };
  return attrs;
}

static gboolean
replace (Match *m, const Rule *rule, GError **error)
{
  TpDraft *draft = m->draft;
  TpDtype dtype = tp_draft_tensor (draft, *get_letter (m, 'x'))->dtype;
  int n_inputs = strlen (rule->inputs), n_attrs = 0;
  int *inputs
      = tp_region_alloc (draft->region, n_inputs, sizeof *inputs, error);
  TpAttr *attrs = inputs ? make_attrs (m, rule, &n_attrs, error) : NULL;
  TpNode *node;

  for (int i = 0; attrs != NULL && i < n_inputs; i++)
    {
      inputs[i] = rule->inputs[i] == '1'
                      ? add_one (draft, dtype, error)
                      : *get_letter (m, rule->inputs[i]);
      if (inputs[i] < 0)
        return FALSE;
    }
  if (attrs == NULL)
    return FALSE;
  node = tp_draft_node (draft, m->nodes[0]);
  node->type = rule->type;
  node->op = tp_op_find (rule->type);
  node->inputs = inputs;
  node->n_inputs = n_inputs;
  node->attrs = attrs;
  node->n_attrs = n_attrs;
  for (int i = 1; i < m->n_nodes; i++)
    tp_draft_node (draft, m->nodes[i])->type = NULL;
  return TRUE;
}

/* Whether any pattern ends in such a node, as few do. */
static gboolean
is_root (const TpNode *node)
{
  static const char *const roots[] = { "Add", "Div", "Mul", NULL };

  return node->type != NULL && node->n_outputs == 1
         && g_strv_contains (roots, node->type);
}

static gboolean
try_rules (TpDraft *draft, int index, const int *n_uses, GError **error)
{
  const TpNode *node = tp_draft_node (draft, index);

  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    {
      Match m = { .draft = draft };
      const char *end;

      memset (m.letters, -1, sizeof m.letters);
      end = match (&m, rules[i].pattern, node->outputs[0]);
      if (end != NULL && is_private (&m, n_uses) && keeps_shape (&m))
        return replace (&m, &rules[i], error);
    }
  return TRUE;
}

/* Each pattern has one of these. */
static gboolean
is_telling (const TpNode *node)
{
  static const char *const types[] = { "Clip", "Erf", "HardSigmoid",
                                       "ReduceMean", "Sigmoid", "Tanh", NULL };

  return node->type != NULL && g_strv_contains (types, node->type);
}

/* From the last node to the first: the whole of a pattern before its parts,
 * some of which are patterns too. */
static gboolean
recognise (TpDraft *draft, GError **error)
{
  g_autofree int *n_uses = tp_new0 (int, draft->tensors->len + 1);

  tp_draft_count_uses (draft, n_uses);
  for (int i = (int) draft->nodes->len - 1; i >= 0; i--)
    if (is_root (tp_draft_node (draft, i))
        && !try_rules (draft, i, n_uses, error))
      return FALSE;
  return TRUE;
}

const TpPass tp_pass_recognise = {
  .name = "recognise",
  .summary = "what exporters spell out becomes one op: Gelu, LayerNormalization",
  .concerns = is_telling,
  .run = recognise,
};
