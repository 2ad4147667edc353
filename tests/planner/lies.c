/* lies.c: see lies.h. */
#include "config.h"

#include "lies.h"

#include "format/plan-save.h"
#include "memory-case.h"
#include "planner/check/check.h"

#include <string.h>

#define MAX_ROUNDS 500

void
tp_test_assert_refused (const TpPlan *plan, const TpTestCase *test,
                        const char *reason)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  gboolean is_said = FALSE;

  g_assert_false (tp_check (plan, test->graph, reasons));
  for (guint i = 0; i < reasons->len; i++)
    is_said |= strstr (reasons->pdata[i], reason) != NULL;
  if (!is_said)
    g_error ("not refused for '%s', but '%s'", reason,
             (char *) reasons->pdata[0]);
}

static void
check_refused (const TpTestLies *lies, const TpTestMutation *mutation)
{
  int n_wanted = tp_test_count_rounds (4, 10), n_told = 0;

  for (int round = 0; round < MAX_ROUNDS && n_told < n_wanted; round++)
    {
      g_autoptr (TpTestCase) test = lies->make (round);
      g_autoptr (TpPlan) plan = lies->place (test, round);
      g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

      if (plan == NULL || !mutation->mutate (plan, test))
        continue;
      n_told++;
      if (tp_check (plan, test->graph, reasons))
        g_error ("taken for true: %s", mutation->name);
    }
  if (n_told < n_wanted)
    g_error ("told %d times of %d: %s", n_told, n_wanted, mutation->name);
}

void
tp_test_lies_check (gconstpointer lies)
{
  const TpTestLies *self = lies;

  for (const TpTestMutation *it = self->mutations; it->name != NULL; it++)
    check_refused (self, it);
}

/* Of those wanted by `make check-full`. */
static int
count_some (int n)
{
  return tp_test_count_rounds ((n + 1) / 2, n);
}

/* @mutation: (nullable): of what is right */
static void
write_some (const TpTestLies *lies, const TpTestMutation *mutation,
            const char *folder, GPtrArray *paths)
{
  const char *name = mutation == NULL ? "good" : mutation->name;
  int n = count_some (mutation == NULL ? lies->n_good : lies->n_each);
  int n_done = 0;

  for (int round = 0; round < MAX_ROUNDS && n_done < n; round++)
    {
      g_autoptr (TpTestCase) test = lies->make (round);
      g_autoptr (TpPlan) plan = NULL;
      g_autofree char *path = NULL;

      /* its figures are not those that the graph gives */
      for (int i = 0; i < test->graph->n_nodes; i++)
        test->graph->nodes[i].n_costs = 0;
      plan = lies->place (test, round);
      if (plan == NULL || (mutation != NULL && !mutation->mutate (plan, test)))
        continue;
      path = g_strdup_printf ("%s/%s-%d.json", folder, name, n_done++);
      g_assert_true (tp_plan_save (plan, test->graph, path, NULL));
      g_ptr_array_add (paths, g_steal_pointer (&path));
    }
  g_assert_cmpint (n_done, ==, n);
}

static void
write_plans (const char *folder, GPtrArray *paths, gconstpointer data)
{
  const TpTestLies *lies = data;

  write_some (lies, NULL, folder, paths);
  for (const TpTestMutation *it = lies->mutations; it->name != NULL; it++)
    write_some (lies, it, folder, paths);
}

void
tp_test_lies_check_second (gconstpointer lies)
{
  const TpTestLies *self = lies;

  tp_memory_case_check_second ("check_plan.py", write_plans, lies,
                               (guint) count_some (self->n_good));
}
