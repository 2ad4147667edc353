/* check-alone.c: `tplan check` without the planner, which is not linked.
 * check-alone PLAN [TABLE]: 0: valid; 1: not, and why not; 2: cannot be read. */
#include "config.h"

#include "api/bind.h"
#include "format/plan-load.h"
#include "planner/check/check.h"

#include <stdio.h>

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpPlan) plan
      = argc < 2 ? NULL : tp_plan_load (argv[1], &graph, &error);
  gboolean is_good;

  if (plan == NULL)
    {
      fprintf (stderr, "%s\n", error == NULL ? "which plan?" : error->message);
      return 2;
    }
  is_good = tp_check (plan, graph, reasons)
            && tp_bind_check (plan, graph, reasons)
            && (argc < 3
                || tp_bind_check_table (plan, graph, argv[2], reasons, &error));
  for (guint i = 0; i < reasons->len; i++)
    printf ("%s\n", (char *) reasons->pdata[i]);
  if (error != NULL)
    fprintf (stderr, "%s\n", error->message);
  return error != NULL ? 2 : !is_good;
}
