/* fuzz-machine.c: what was measured of another machine, planned with as `tplan
 * optimize` does. */
#include "config.h"

#include "api/costs-elsewhere.h"
#include "api/plan.h"
#include "fuzz/fuzz.h"
#include "ir/posix.h"

#include <fcntl.h>
#include <unistd.h>

static TplanGraph *graph;
static char *path;

static TplanGraph *
load_graph (void)
{
  g_autoptr (GBytes) bytes = fuzz_get_file ("FUZZ_GRAPH_OF_MACHINE");
  TplanGraph *read = tplan_graph_new_from_bytes (bytes, NULL, NULL);

  if (read == NULL)
    g_error ("FUZZ_GRAPH_OF_MACHINE cannot be read");
  return read;
}

static void
write_file (const guint8 *data, gsize size)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

  if (fd < 0 || !tp_posix_write (fd, data, size) || close (fd) != 0)
    g_error ("%s: cannot write", path);
}

/* Whatever is claimed of a machine: a plan made by it is valid, stands on what the
 * file says, and can be read again. */
static void
check (const TplanPlan *plan)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  if (!tp_api_check_plan (plan, reasons)
      || !tp_api_check_table (plan, path, reasons, &error))
    g_error ("our own plan is not valid: %s",
             error != NULL ? error->message
                           : (const char *) g_ptr_array_index (reasons, 0));
}

/* Whether a plan was made. */
static gboolean
plan_with (const guint8 *data, gsize size)
{
  g_autoptr (TplanCosts) costs = NULL;
  g_autoptr (TplanPlan) plan = NULL;

  write_file (data, size);
  costs = tp_costs_of_elsewhere (path, NULL, 0, NULL);
  if (costs != NULL)
    plan = tplan_graph_optimize (graph, costs, NULL, NULL);
  if (plan != NULL)
    check (plan);
  unlink (path);
  return plan != NULL;
}

/* Where what is good is refused, nothing at all would be tried. */
static void
set_up (void)
{
  g_autoptr (GBytes) good = fuzz_get_file ("FUZZ_MACHINE");
  gsize size;
  const guint8 *data = g_bytes_get_data (good, &size);

  graph = load_graph ();
  path = g_strdup_printf ("%s/fuzz-machine-%d.json", g_get_tmp_dir (),
                          (int) getpid ());
  if (!plan_with (data, size))
    g_error ("FUZZ_MACHINE cannot be planned with");
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  if (graph == NULL)
    set_up ();
  plan_with (data, size);
  return 0;
}
