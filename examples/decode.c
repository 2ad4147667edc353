/* decode.c: a language model writes on, token by token.
 *
 *   cc decode.c $(pkg-config --cflags --libs tplan) -o decode
 *   ./decode MODEL N TOKEN[,TOKEN...] [DEVICE...]
 *
 * The model is as decoder_mini of make-networks, and exporters, have it: what it reads
 * are tokens, and how many are before the last of them; it gives scores of the next,
 * and its caches of keys and values. These are states: they stay where they are from
 * run to run. It is planned twice, once for the prompt and once for a token alone; the
 * session for tokens begins with what the one for the prompt left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tplan.h>

typedef struct
{
  const char *model;
  const char *const *devices;
  int n_places;               /* of a cache */
} Wanted;

typedef struct
{
  TplanGraph *graph;
  TplanPlan *plan;
  TplanSession *session;
  int n_new;                  /* tokens of a run */
  int n_words;
  float *scores;              /* [n_new, n_words] */
} Net;

static void
net_clear (Net *net)
{
  tplan_session_free (net->session);
  tplan_plan_free (net->plan);
  tplan_graph_free (net->graph);
  g_free (net->scores);
}

static TplanGraph *
load (const Wanted *wanted, int n_new, GError **error)
{
  static const char *const states[] = { "present.*=past_key_values.*", NULL };
  const TplanDim dims[] = { { "N", 1 }, { "S", n_new },
                            { "P", wanted->n_places }, { NULL, 0 } };
  TplanLoadOptions options;

  memset (&options, 0, sizeof options);
  options.dims = dims;
  options.states = states;
  return tplan_graph_load_full (wanted->model, &options, error);
}

static gboolean
check_inputs (const TplanGraph *graph, GError **error)
{
  int n = 0;
  const TplanTensor *inputs = tplan_graph_get_inputs (graph, &n);

  if (n == 2 && strcmp (inputs[0].name, "input_ids") == 0
      && strcmp (inputs[1].name, "seqlens_k") == 0)
    return TRUE;
  g_set_error_literal (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "the inputs are not input_ids and seqlens_k: give a "
                       "model such as decoder_mini.json");
  return FALSE;
}

/* For runs of @n_new tokens. */
static gboolean
net_open (Net *net, const Wanted *wanted, int n_new, GError **error)
{
  g_autoptr (TplanCosts) costs = NULL;

  net->n_new = n_new;
  net->graph = load (wanted, n_new, error);
  if (net->graph == NULL || !check_inputs (net->graph, error))
    return FALSE;
  costs = tplan_costs_open (NULL, wanted->devices, 0, error);
  if (costs != NULL)
    net->plan = tplan_graph_optimize (net->graph, costs, NULL, error);
  if (net->plan != NULL)
    net->session = tplan_session_new (net->plan, 0, error);
  if (net->session == NULL)
    return FALSE;
  net->scores = (float *) g_malloc0 (
      tplan_graph_get_outputs (net->graph, NULL)[0].size_bytes);
  net->n_words = (int) (tplan_graph_get_outputs (net->graph, NULL)[0].size_bytes
                        / (gint64) sizeof (float) / n_new);
  return TRUE;
}

/* @tokens, the first of which has the place @first; returns the likeliest next, -1 when
 * the run fails. */
static gint64
run (Net *net, const gint64 *tokens, int first, GError **error)
{
  const gint32 n_before = first + net->n_new - 1;
  const void *const inputs[] = { tokens, &n_before };
  void *const outputs[] = { net->scores };
  const float *last = net->scores + (gsize) (net->n_new - 1) * net->n_words;
  int best = 0;

  if (!tplan_session_run (net->session, inputs, outputs, error))
    return -1;
  for (int i = 1; i < net->n_words; i++)
    if (last[i] > last[best])
      best = i;
  return best;
}

/* What @from has remembered. */
static gboolean
hand_over (const Net *from, const Net *to, GError **error)
{
  int n = 0;
  const TplanTensor *states = tplan_graph_get_states (from->graph, &n);

  for (int i = 0; i < n; i++)
    {
      g_autofree void *value = g_malloc (states[i].size_bytes);

      if (!tplan_session_get_state (from->session, states[i].name, value, error)
          || !tplan_session_set_state (to->session, states[i].name, value,
                                       error))
        return FALSE;
    }
  return TRUE;
}

/* @n tokens, of which @next is the first and has the place @place. */
static gboolean
write_tokens (Net *one, gint64 next, int place, int n, GError **error)
{
  gint64 start_us = g_get_monotonic_time (), time_us;

  for (int i = 0; i < n; i++)
    {
      if (i > 0)
        next = run (one, &next, place + i - 1, error);
      if (next < 0)
        return FALSE;
      printf ("%" G_GINT64_FORMAT "\n", next);
    }
  time_us = g_get_monotonic_time () - start_us;
  fprintf (stderr, "%.1f tokens a second\n",
           (n - 1) * 1e6 / (double) (time_us + 1));
  return TRUE;
}

static gboolean
write_on (const Wanted *wanted, const GArray *prompt, int n, GError **error)
{
  const gint64 *tokens = (const gint64 *) (void *) prompt->data;
  int n_prompt = (int) prompt->len;
  gint64 next;
  Net whole, one;
  gboolean is_good;

  memset (&whole, 0, sizeof whole);
  memset (&one, 0, sizeof one);
  is_good = net_open (&whole, wanted, n_prompt, error)
            && net_open (&one, wanted, 1, error)
            && (next = run (&whole, tokens, 0, error)) >= 0
            && hand_over (&whole, &one, error)
            && write_tokens (&one, next, n_prompt, n, error);
  net_clear (&one);
  net_clear (&whole);
  return is_good;
}

static GArray *
read_tokens (const char *text)
{
  GArray *tokens = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_auto (GStrv) words = g_strsplit (text, ",", -1);

  for (int i = 0; words[i] != NULL; i++)
    {
      gint64 token = g_ascii_strtoll (words[i], NULL, 10);

      g_array_append_val (tokens, token);
    }
  return tokens;
}

int
main (int argc, char **argv)
{
  int n = argc > 2 ? atoi (argv[2]) : 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) prompt = NULL;
  Wanted wanted;

  if (argc < 4 || n < 1 || *argv[3] == '\0')
    {
      fprintf (stderr, "usage: %s MODEL N TOKEN[,TOKEN...] [DEVICE...]\n",
               argv[0]);
      return 2;
    }
  prompt = read_tokens (argv[3]);
  wanted.model = argv[1];
  wanted.devices = argc > 4 ? (const char *const *) argv + 4 : NULL;
  wanted.n_places = (int) prompt->len + n;
  if (write_on (&wanted, prompt, n, &error))
    return 0;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
