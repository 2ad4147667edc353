/* serve.c: one plan, a session for each thread that serves.
 *
 *   cc serve.c $(pkg-config --cflags --libs tplan) -o serve
 *   ./serve PLAN [THREADS [REQUESTS]]
 *
 * A plan never changes, so all threads share it. A session has memory of its own:
 * with one for each thread no request waits for another's. Each is made for one
 * thread of the cpu, since it is the requests that run side by side. */
#include <stdio.h>
#include <stdlib.h>
#include <tplan.h>

typedef struct
{
  const TplanPlan *plan;
  int n_requests;
  GError *error;              /* what went wrong, if anything */
  gint64 time_ns;             /* of all its runs */
} Server;

/* One array for each tensor, of zeros. */
static GPtrArray *
make_arrays (const TplanTensor *tensors, int n)
{
  GPtrArray *arrays = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; i < n; i++)
    g_ptr_array_add (arrays, g_malloc0 (tensors[i].size_bytes));
  return arrays;
}

static gpointer
serve (gpointer data)
{
  Server *server = (Server *) data;
  const TplanGraph *graph = tplan_plan_get_graph (server->plan);
  g_autoptr (TplanSession) session
      = tplan_session_new (server->plan, 1, &server->error);
  g_autoptr (GPtrArray) inputs = NULL, outputs = NULL;
  const TplanTensor *tensors;
  int n;

  if (session == NULL)
    return NULL;
  tensors = tplan_graph_get_inputs (graph, &n);
  inputs = make_arrays (tensors, n);
  tensors = tplan_graph_get_outputs (graph, &n);
  outputs = make_arrays (tensors, n);
  for (int i = 0; i < server->n_requests; i++)
    {
      /* A server would take a request here, and answer it below. */
      if (!tplan_session_run (session, (const void *const *) inputs->pdata,
                              outputs->pdata, &server->error))
        return NULL;
      server->time_ns += tplan_session_get_time_ns (session);
    }
  return NULL;
}

static gboolean
serve_all (const TplanPlan *plan, int n_threads, int n_requests)
{
  Server *servers = g_new0 (Server, n_threads);
  GThread **threads = g_new0 (GThread *, n_threads);
  gboolean is_good = TRUE;

  for (int i = 0; i < n_threads; i++)
    {
      servers[i].plan = plan;
      servers[i].n_requests = n_requests;
      threads[i] = g_thread_new ("serve", serve, &servers[i]);
    }
  for (int i = 0; i < n_threads; i++)
    {
      g_thread_join (threads[i]);
      if (servers[i].error == NULL)
        printf ("thread %d: %d requests, %.3f ms each\n", i, n_requests,
                servers[i].time_ns / 1e6 / n_requests);
      else
        fprintf (stderr, "thread %d: %s\n", i, servers[i].error->message);
      is_good = is_good && servers[i].error == NULL;
      g_clear_error (&servers[i].error);
    }
  g_free (threads);
  g_free (servers);
  return is_good;
}

int
main (int argc, char **argv)
{
  int n_threads = argc > 2 ? atoi (argv[2]) : 4;
  int n_requests = argc > 3 ? atoi (argv[3]) : 10;
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanPlan) plan = NULL;

  if (argc < 2 || n_threads < 1 || n_requests < 1)
    {
      fprintf (stderr, "usage: %s PLAN [THREADS [REQUESTS]]\n", argv[0]);
      return 2;
    }
  plan = tplan_plan_load (argv[1], NULL, &error);
  if (plan != NULL)
    return serve_all (plan, n_threads, n_requests) ? 0 : 1;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
