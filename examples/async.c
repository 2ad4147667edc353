/* async.c: two runs in flight, so that the next input is made while one runs.
 *
 *   cc async.c $(pkg-config --cflags --libs tplan) -o async
 *   ./async PLAN [RUNS]
 *
 * A run has its arrays until it is done: with two sets of them, one is filled while
 * the other is with the session. At the end the steps that took longest are told. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tplan.h>

#define N_SETS 2

typedef struct
{
  GPtrArray *inputs, *outputs;
  TplanRun *run;              /* NULL: they are ours */
} Set;

static GPtrArray *
make_arrays (const TplanTensor *tensors, int n)
{
  GPtrArray *arrays = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; i < n; i++)
    g_ptr_array_add (arrays, g_malloc0 (tensors[i].size_bytes));
  return arrays;
}

static void
set_init (Set *set, const TplanGraph *graph)
{
  int n;
  const TplanTensor *tensors = tplan_graph_get_inputs (graph, &n);

  set->inputs = make_arrays (tensors, n);
  tensors = tplan_graph_get_outputs (graph, &n);
  set->outputs = make_arrays (tensors, n);
}

/* Waits for the run that has the arrays. */
static gboolean
take_back (Set *set, GError **error)
{
  gboolean is_good = set->run == NULL || tplan_run_wait (set->run, error);

  tplan_run_free (set->run);
  set->run = NULL;
  return is_good;
}

static gboolean
run_all (TplanSession *session, Set *sets, int n_runs, GError **error)
{
  for (int i = 0; i < n_runs; i++)
    {
      Set *set = &sets[i % N_SETS];

      if (!take_back (set, error))
        return FALSE;
      /* The outputs of run i - N_SETS are read here, the next input is made. */
      set->run = tplan_session_submit (
          session, (const void *const *) set->inputs->pdata,
          set->outputs->pdata, error);
      if (set->run == NULL)
        return FALSE;
    }
  for (int i = 0; i < N_SETS; i++)
    if (!take_back (&sets[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
tell_longest (TplanSession *session, GError **error)
{
  int n, longest = 0;
  const TplanStep *steps = tplan_session_get_steps (session, &n, error);

  if (steps == NULL)
    return FALSE;
  for (int i = 1; i < n; i++)
    if (steps[i].measured_ns > steps[longest].measured_ns)
      longest = i;
  if (n > 0)
    printf ("longest of %d steps: %s on %s: %.3f ms, foretold %.3f ms\n", n,
            steps[longest].op != NULL ? steps[longest].op
                                      : steps[longest].tensor,
            steps[longest].device, steps[longest].measured_ns / 1e6,
            steps[longest].predicted_ns / 1e6);
  return TRUE;
}

static gboolean
work (const TplanPlan *plan, int n_runs, GError **error)
{
  Set sets[N_SETS];
  TplanSessionOptions options;
  g_autoptr (TplanSession) session = NULL;
  gboolean is_good;

  memset (&options, 0, sizeof options);
  options.is_profiled = TRUE;
  session = tplan_session_new_full (plan, &options, error);
  if (session == NULL)
    return FALSE;
  memset (sets, 0, sizeof sets);
  for (int i = 0; i < N_SETS; i++)
    set_init (&sets[i], tplan_plan_get_graph (plan));
  is_good = run_all (session, sets, n_runs, error);
  if (is_good)
    printf ("%d runs\n", n_runs);
  for (int i = 0; i < N_SETS; i++)
    {
      tplan_run_free (sets[i].run); /* after it the arrays are ours again */
      g_ptr_array_unref (sets[i].inputs);
      g_ptr_array_unref (sets[i].outputs);
    }
  return is_good && tell_longest (session, error);
}

int
main (int argc, char **argv)
{
  int n_runs = argc > 2 ? atoi (argv[2]) : 10;
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanPlan) plan = NULL;

  if (argc < 2 || n_runs < 1)
    {
      fprintf (stderr, "usage: %s PLAN [RUNS]\n", argv[0]);
      return 2;
    }
  plan = tplan_plan_load (argv[1], NULL, &error);
  if (plan != NULL && work (plan, n_runs, &error))
    return 0;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
