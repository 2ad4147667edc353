/* test-spoilt-ops.c: cases of ops with a few words changed: numbers that no shape has, other
 * types, operands left out or in another's place. Each is refused with a message, or is a
 * graph that can be prepared, lowered and computed. */
#include "config.h"

#include "graph/pass.h"
#include "ir/limit.h"
#include "op-support.h"
#include "ops/lower.h"
#include "ops/reference.h"

#include <string.h>

typedef struct
{
  int opset;
  const char *text;
} Case;

static const Case cases[] = {
#include "op-cases.inc"
};
static const Case others[] = {
#include "spoilt-cases.inc"
};

#define MOST_WORDS 14         /* of a line, which op-support.h has room for */
#define MOST_CONSTANT 4096    /* elements of a constant */
#define MOST_COMPUTED 20000   /* elements of a graph */
#define MOST_WINDOW 64        /* numbers of an attribute */
#define N_TRIES 4000           /* --verbose tells each */
#define MANY_TRIES 1000000     /* with -m slow, as after `make check-asan` */

static const char *const small[] = { "0", "1", "2", "3", "4", "5", "8", "16", "32" };
static const char *const numbers[] = {
  "-1", "-2", "-3", "7", "64", "127", "128", "255", "256", "65536", "2147483647",
  "2147483648", "-2147483648", "4294967296", "1099511627776", "1152921504606846976",
  "2305843009213693952", "4611686018427387904", "9223372036854775807",
  "-9223372036854775808",
};
static const char *const reals[] = {
  "0.0", "0.5", "-1.0", "1e30.", "3.4e38", "-1e-45", "1.7e308", "-nan.0", "-inf.0", "+inf.0",
};
static const char *const words[] = {
  "", "a", "linear", "nearest", "cubic", "constant", "reflect", "edge", "wrap", "VALID",
  "SAME_UPPER", "forward", "reverse", "bidirectional", "relu", "silu", "swiglu", "gelu",
  "identity", "gated", "delta", "mean", "sum", "none", "max", "add", "int", "sigmoid",
};
static const char *const types[] = { "in", "int64", "int32", "uint8", "int8", "bool",
                                     "float16", "float64", "bfloat16" };

#define PICK(list) (list)[g_test_rand_int_range (0, G_N_ELEMENTS (list))]

/* ---- words ----------------------------------------------------------------- */

static gboolean
is_number (const char *word)
{
  return g_ascii_isdigit (*word) || (*word == '-' && g_ascii_isdigit (word[1]));
}

static char *
draw_value (void)
{
  switch (g_test_rand_int_range (0, 6))
    {
    case 0:
      return g_strdup (PICK (reals));
    case 1:
      return g_strdup (PICK (words));
    case 2:
      return g_strdup_printf ("%s,%s", PICK (small), PICK (numbers));
    case 3:
      return g_strdup_printf ("%s,%s,%s,%s", PICK (small), PICK (small), PICK (numbers),
                              PICK (small));
    case 4:
      return g_strdup (PICK (small));
    default:
      return g_strdup (PICK (numbers));
    }
}

static gboolean
is_constant_line (const char *first)
{
  return strcmp (first, "const") == 0 || strcmp (first, "pos") == 0
         || strcmp (first, "bytes") == 0;
}

/* What takes the place of @word in a line that begins with @first. */
static char *
spoil_word (const char *first, const char *word, GPtrArray *names)
{
  const char *equals = strchr (word, '=');
  gboolean is_list = strcmp (first, "ints") == 0 || strcmp (first, "scalar") == 0;

  if (equals != NULL)
    {
      g_autofree char *value = draw_value ();

      return g_strdup_printf ("%.*s=%s", (int) (equals - word), word, value);
    }
  if (!is_number (word))
    return g_strdup (g_test_rand_bit () ? "_" : g_ptr_array_index (
        names, g_test_rand_int_range (0, (gint32) names->len)));
  if (strcmp (first, "scalar") == 0 && g_test_rand_bit ())
    return g_strdup (PICK (reals));
  if (is_constant_line (first) || g_test_rand_bit ())
    return g_strdup (PICK (small));
  word = PICK (numbers);
  return g_strdup (is_list || *word != '-' ? word : "1"); /* no shape is written so */
}

/* A type is another, a word is another, gone, or there twice; what an op is called, and what
 * it gives, stays. */
static char *
spoil_line (const char *line, GPtrArray *names)
{
  g_auto (GStrv) parts = g_strsplit (line, " ", -1);
  int n = (int) g_strv_length (parts), at, last = n;
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean is_node = FALSE;

  for (int i = 0; i < n; i++)
    if (strcmp (parts[i], "->") == 0)
      {
        is_node = TRUE;
        last = i;
      }
  at = is_node && last == 1 && n > 3 ? 3 : g_test_rand_int_range (is_node ? 1 : 0, n);
  if (!is_node && at == 0 && g_strv_contains (types, parts[0]))
    return g_strdup_printf ("%s%s", PICK (types), line + strlen (parts[0]));
  if (at < (is_node ? 1 : 2) || at == last || at == last + 1)
    return g_strdup (line);
  for (int i = 0; i < n; i++)
    {
      int kind = i == at ? g_test_rand_int_range (0, 6) : 6;
      g_autofree char *other = spoil_word (parts[0], parts[i], names);

      if (kind == 0) /* gone */
        continue;
      g_string_append_printf (text, "%s%s", text->len == 0 ? "" : " ",
                              kind < 5 ? other : parts[i]);
      if (kind == 5 && n < MOST_WORDS)
        g_string_append_printf (text, " %s", parts[i]);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* ---- graphs ---------------------------------------------------------------- */

static GPtrArray *
find_names (char *const *lines)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (lines[i], " ", -1);

      if (g_strv_length (parts) > 1)
        g_ptr_array_add (names, g_strdup (parts[1]));
    }
  g_ptr_array_add (names, g_strdup ("nowhere"));
  return names;
}

/* Whether the reader of op-support.h has room for it, and finds what it needs. */
static gboolean
is_readable (char *const *lines)
{
  for (int i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (lines[i], " ", -1);
      gint64 count = 1;

      if (strcmp (parts[0], "scalar") == 0 && g_strv_length (parts) != 3)
        return FALSE;
      if (strstr (lines[i], "->") == NULL && strncmp (lines[i], "ints", 4) != 0
          && g_strv_length (parts) > 2 + TP_MAX_RANK)
        return FALSE;
      for (int k = 2; is_constant_line (parts[0]) && parts[k] != NULL; k++)
        count *= g_ascii_strtoll (parts[k], NULL, 10);
      if (count > MOST_CONSTANT)
        return FALSE;
    }
  return TRUE;
}

static char *
spoil (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, ";", -1);
  int n = (int) g_strv_length (lines);
  g_autoptr (GPtrArray) names = find_names (lines);

  for (int i = g_test_rand_int_range (1, 4); i > 0; i--)
    {
      int at = g_test_rand_int_range (0, n);
      char *other = spoil_line (lines[at], names);

      g_free (lines[at]);
      lines[at] = other;
    }
  return is_readable (lines) ? g_strjoinv (";", lines) : NULL;
}

/* ---- what becomes of them --------------------------------------------------- */

/* Windows may be larger than what they see. */
static gboolean
has_long_list (const TpNode *node)
{
  for (int i = 0; i < node->n_attrs; i++)
    for (int k = 0; node->attrs[i].kind == TP_ATTR_INTS && k < node->attrs[i].n; k++)
      if (ABS (node->attrs[i].ints[k]) > MOST_WINDOW)
        return TRUE;
  return FALSE;
}

static gboolean
is_small (const TpGraph *graph)
{
  gint64 left = MOST_COMPUTED;

  for (int i = 0; i < graph->n_nodes; i++)
    if (has_long_list (&graph->nodes[i]))
      return FALSE;
  for (int i = 0; i < graph->n_tensors && left >= 0; i++)
    left = graph->tensors[i].count > left ? -1 : left - graph->tensors[i].count;
  return left >= 0;
}

static void
use (const TpGraph *graph)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) ready = tp_graph_prepare (graph, &error);

  g_assert_no_error (error);
  for (int i = 0; i < ready->n_nodes; i++)
    {
      TpLowered *lowered = tp_lower_nodes (ready, &i, 1, NULL);

      if (lowered != NULL)
        tp_lowered_free (lowered);
    }
  if (is_small (ready))
    g_ptr_array_unref (test_graph_run (ready, FALSE));
}

static void
try_text (int opset, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  TpLimits limits;

  if (g_test_verbose ())
    g_printerr ("%d %s\n", opset, text);
  tp_limits_init (&limits);
  tp_limits_set (&limits, "nodes", 5000, NULL);
  tp_limits_set (&limits, "fold", 1 << 20, NULL);
  graph = test_graph_new_within (&limits, opset, text, &error);
  g_assert_true ((graph == NULL) == (error != NULL));
  if (graph != NULL)
    use (graph);
  else
    g_assert_true (error->domain == TPLAN_ERROR && *error->message != '\0');
}

static void
test_spoilt (void)
{
  for (int i = g_test_slow () ? MANY_TRIES : N_TRIES; i > 0; i--)
    {
      const Case *c = i % 3 == 0 ? &PICK (cases) : &PICK (others);
      g_autofree char *text = spoil (c->text);

      if (text != NULL)
        try_text (c->opset, text);
    }
}

/* Numbers that overflow where nobody looks, and names that are nowhere. */
static void
test_worst (void)
{
  static const char *const texts[] = {
    "in x 2 40;bytes q 5 3 8;const s 5 3;"
    "MatMulNBits x q s -> y K=-9223372036854775808 N=5 block_size=16",
    "in x 2 40;bytes q 5 3 8;const s 15;bytes z 10;com.microsoft.MatMulNBits x q s z -> y "
    "K=9223372036854775807 N=5 block_size=1",
    "in x 2 3 8;int32 n 2;int32 t 1;com.microsoft.GroupQueryAttention x _ _ _ _ n t -> y "
    "num_heads=4611686018427387904 kv_num_heads=4611686018427387904",
    "in x 2 3 8;int32 n 2;int32 t 1;const s 9 2;com.microsoft.GroupQueryAttention x _ _ _ _ n "
    "t nowhere s -> y num_heads=2 kv_num_heads=1 do_rotary=1",
    "in x 3 8;in r 3 4;const w 4 6 8;const v 3 8 6;com.microsoft.MoE x r w _ v -> y k=2",
    "in q 1 1 1152921504606846976;in k 1 1 1;in v 1 1 1152921504606846976;LinearAttention q k v "
    "-> y q_num_heads=1152921504606846976 kv_num_heads=1 update_rule=linear",
    "in x 2 4611686018427387904;int64 p 2 3;LinearAttention x x x -> y q_num_heads=1 "
    "kv_num_heads=1 update_rule=linear",
    "in x 7 3;in s 1 3;QuantizeLinear x s -> y axis=0 block_size=9223372036854775807",
    "const x 2 5;Multinomial x -> y sample_size=9223372036854775807",
    "in x 3 5;scalar s 0.5;QuantizeLinear x s -> t output_dtype=9223372036854775807",
    "in x 2 3 5;const w 3 1 0;CausalConvWithState x w -> y p",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    try_text (17, texts[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/spoilt-ops/drawn", test_spoilt);
  g_test_add_func ("/spoilt-ops/worst", test_worst);
  return g_test_run ();
}
