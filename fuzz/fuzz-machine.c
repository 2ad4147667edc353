/* fuzz-machine.c: what was measured of another machine, planned with by the calls
 * that a program makes. */
#include "config.h"

#include "api/plan.h"
#include "fuzz/fuzz.h"
#include "fuzz/use-plan.h"
#include "ir/posix.h"

#include <fcntl.h>
#include <unistd.h>

static TplanGraph *
load_graph (void)
{
  g_autoptr (GBytes) bytes = fuzz_get_file ("FUZZ_GRAPH_OF_MACHINE");
  TplanGraph *graph = tplan_graph_new_from_bytes (bytes, NULL, NULL);

  if (graph == NULL)
    g_error ("FUZZ_GRAPH_OF_MACHINE cannot be read");
  return graph;
}

static void
write_file (const char *path, const guint8 *data, gsize size)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

  if (fd < 0 || !tp_posix_write (fd, data, size) || close (fd) != 0)
    g_error ("%s: cannot write", path);
}

/* Whatever is claimed of a machine: a plan made by it is valid, stands on what the
 * file says, and can be read again. */
static void
check (const TplanPlan *plan, const char *path)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  if (!tp_api_check_plan (plan, reasons)
      || !tp_api_check_table (plan, path, reasons, &error))
    g_error ("our own plan is not valid: %s",
             error != NULL ? error->message
                           : (const char *) g_ptr_array_index (reasons, 0));
}

static void
plan_with (const char *path, const TplanGraph *graph)
{
  g_autoptr (TplanCosts) costs = tplan_costs_open (path, NULL, 0, NULL);
  g_autoptr (TplanPlan) plan = NULL;

  if (costs == NULL)
    return;
  plan = tplan_graph_optimize (graph, costs, NULL, NULL);
  if (plan != NULL)
    check (plan, path);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static TplanGraph *graph;
  static char *path;

  if (graph == NULL)
    {
      graph = load_graph ();
      path = g_strdup_printf ("%s/fuzz-machine-%d.json", g_get_tmp_dir (),
                              (int) getpid ());
    }
  write_file (path, data, size);
  plan_with (path, graph);
  unlink (path);
  return 0;
}
