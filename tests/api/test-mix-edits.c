/* test-mix-edits.c: plans side by side whose rates, runs, loads and proof were edited at
 * random in the file, and signed anew. What `tplan check` accepts then says what it said
 * before, of which there may be another proof. */
#include "config.h"

#include "api/mix.h"
#include "format/mix-json.h"
#include "format/plan-json.h"

#include <glib/gstdio.h>
#include <string.h>
#include <tplan.h>

#define N_EDITS (g_getenv ("TPLAN_TEST_FULL") != NULL ? 10000 : 1500)
#define PLAN_START "{\n \"format\": \"tplan-plan/"
#define PICK(n) g_test_rand_int_range (0, (int) (n))

static const char model[]
    = "{\"format\": \"tplan-graph/1\", \"inputs\": [{\"name\": \"x\","
      " \"shape\": [64, 64]}], \"outputs\": [\"y\"], \"ops\": ["
      " {\"name\": \"m\", \"type\": \"MatMul\", \"inputs\": [\"x\", \"x\"],"
      "  \"outputs\": [\"t\"]}, {\"name\": \"r\", \"type\": \"Relu\","
      "  \"inputs\": [\"t\"], \"outputs\": [\"u\"]}, {\"name\": \"n\","
      "  \"type\": \"MatMul\", \"inputs\": [\"u\", \"x\"],"
      "  \"outputs\": [\"y\"]}]}";

/* ---- signing -------------------------------------------------------------- */

static void
sign_piece (const char *start, char *key)
{
  g_autofree char *digest = g_compute_checksum_for_data (
      G_CHECKSUM_SHA256, (const guchar *) start, key - start);

  memcpy (key + strlen (TP_PLAN_DIGEST_KEY), digest, TP_PLAN_DIGEST_LENGTH);
}

static void
sign (char *text)
{
  char *start = text, *key;

  while ((start = strstr (start, PLAN_START)) != NULL
         && (key = strstr (start, TP_PLAN_DIGEST_KEY)) != NULL)
    {
      sign_piece (start, key);
      start = key;
    }
  sign_piece (text, g_strrstr (text, TP_PLAN_DIGEST_KEY));
}

/* ---- edits ---------------------------------------------------------------- */

typedef struct
{
  int start, end;
} Span;

/* The numbers of @text up to @to, which begin outside of strings. */
static GArray *
find_numbers (const char *text, int to)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (Span));
  gboolean is_string = FALSE;

  for (int i = 1; i < to; i++)
    {
      Span span = { i, i };

      is_string ^= text[i] == '"' && text[i - 1] != '\\';
      if (is_string || !(g_ascii_isdigit (text[i]) || text[i] == '-'))
        continue;
      while (span.end < to && strchr ("-+.0123456789eE", text[span.end]) != NULL)
        span.end++;
      g_array_append_val (found, span);
      i = span.end - 1;
    }
  return found;
}

/* Another number in its place; NULL: it would be the same. */
static char *
edit_number (const char *text, const Span *span, const Span *other)
{
  g_autofree char *old = g_strndup (text + span->start,
                                    span->end - span->start);
  gint64 value = g_ascii_strtoll (old, NULL, 10);
  g_autofree char *new = NULL;

  switch (PICK (6))
    {
    case 0:
      new = g_strdup_printf ("%" G_GINT64_FORMAT, value + 1);
      break;
    case 1:
      new = g_strdup_printf ("%" G_GINT64_FORMAT, value - 1);
      break;
    case 2:
      new = g_strdup_printf ("%" G_GINT64_FORMAT, 2 * (value % (1 << 30)));
      break;
    case 3:
      new = g_strdup ("0");
      break;
    case 4:
      new = g_strdup_printf ("%" G_GINT64_FORMAT, -value);
      break;
    default:
      new = g_strndup (text + other->start, other->end - other->start);
    }
  return strcmp (old, new) == 0
             ? NULL
             : g_strdup_printf ("%.*s%s%s", span->start, text, new,
                                text + span->end);
}

/* One to three of them. */
static char *
edit (const char *text, int (*find_to) (const char *text))
{
  char *edited = g_strdup (text);

  for (int n = 1 + PICK (3) % 3; n > 0; n--)
    {
      g_autoptr (GArray) numbers = find_numbers (edited, find_to (edited));
      char *next = edit_number (
          edited, &g_array_index (numbers, Span, PICK (numbers->len)),
          &g_array_index (numbers, Span, PICK (numbers->len)));

      if (next == NULL)
        continue;
      g_free (edited);
      edited = next;
    }
  return edited;
}

/* ---- trying them ---------------------------------------------------------- */

typedef struct
{
  GBytes *graphs[2];
  char *text;
  int n_read, n_accepted;
} Edits;

static void
edits_init (Edits *edits)
{
  static const char *const devices[]
      = { "sim:desktop-cpu", "sim:laptop-gpu", NULL };
  g_autofree char *folder = g_dir_make_tmp ("tplan-edits-XXXXXX", NULL);
  g_autofree char *table = g_build_filename (folder, "cost.db", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanMix) mix = NULL;
  g_autoptr (TplanGraph) graph = NULL;
  TplanMixGraph asked[2];
  TplanCosts *costs = tplan_costs_open (table, devices, 1, &error);

  g_assert_no_error (error);
  *edits = (Edits){ 0 };
  for (int i = 0; i < 2; i++)
    edits->graphs[i] = g_bytes_new_static (model, strlen (model));
  graph = tplan_graph_new_from_bytes (edits->graphs[0], NULL, &error);
  asked[0] = (TplanMixGraph){ "one", "300/s", graph };
  asked[1] = (TplanMixGraph){ "two", "4ms", graph };
  mix = tplan_mix_optimize (asked, 2, costs, NULL, &error);
  g_assert_no_error (error);
  edits->text = tp_mix_to_json (tp_api_get_mix (mix));
  tplan_costs_close (costs);
  g_remove (table);
  g_rmdir (folder);
}

static void
edits_clear (Edits *edits)
{
  for (int i = 0; i < 2; i++)
    g_bytes_unref (edits->graphs[i]);
  g_free (edits->text);
}

static gboolean
is_accepted (Edits *edits, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (TplanMix) mix
      = tplan_mix_new_from_bytes (bytes, edits->graphs, 2, NULL, NULL);
  gboolean is_good = mix != NULL && tplan_mix_check (mix, NULL);

  edits->n_read += mix != NULL;
  edits->n_accepted += is_good;
  return is_good;
}

static void
add_piece (GString *out, const char *text, const char *from, const char *to)
{
  const char *start = strstr (text, from);

  g_string_append_len (out, start, strstr (start, to) - start);
}

/* What stands before the proof, but for limits, of which others are kept to as well, and
 * for the interval, which is rounded. */
static char *
dup_said (const char *text)
{
  GString *said = g_string_new (NULL);

  add_piece (said, text, "\"parts\"", "\"memory_limits\"");
  add_piece (said, text, "\"load_ns\"", "\"load_low_ns\"");
  add_piece (said, text, "\"loads\"", "\"load_tree\"");
  return g_string_free (said, FALSE);
}

static void
check_same (const char *a, const char *b)
{
  g_autofree char *before = dup_said (a);
  g_autofree char *after = dup_said (b);

  g_assert_cmpstr (before, ==, after);
}

static int
find_plans (const char *text)
{
  return (int) (strstr (text, PLAN_START) - text);
}

static void
test_edits (void)
{
  Edits edits;
  int n_other = 0;

  edits_init (&edits);
  g_assert_true (is_accepted (&edits, edits.text));
  for (int i = 0; i < N_EDITS; i++)
    {
      g_autofree char *text = edit (edits.text, find_plans);

      sign (text);
      if (strcmp (text, edits.text) == 0)
        continue;
      n_other++;
      if (is_accepted (&edits, text))
        check_same (edits.text, text);
    }
  g_test_message ("%d edits, %d read, %d accepted", n_other, edits.n_read,
                  edits.n_accepted);
  g_assert_cmpint (edits.n_read, >, n_other / 3);
  edits_clear (&edits);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mix-edits/random", test_edits);
  return g_test_run ();
}
