/* given-names.c: see given-names.h. A cost of a device that nobody has is read by nobody,
 * so a name that is mistyped would have no say and nothing would tell. */
#include "config.h"

#include "api/given-names.h"

#include "runtime/devices.h"

typedef struct
{
  const TpGraph *graph;
  const char *last;           /* a name that is good: mostly the next is the same */
} Names;

/* @key: of @place, where the name stands. */
static gboolean
check_name (Names *names, const char *place, const char *key, const char *name,
            GError **error)
{
  g_autoptr (GError) cause = NULL;
  const char *source = names->graph->source;

  if (g_strcmp0 (name, names->last) == 0 || tp_device_check_name (name, &cause))
    {
      names->last = name;
      return TRUE;
    }
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, "%s%s%s%s: %s",
               source != NULL ? source : "", source != NULL ? ": " : "", place,
               key, cause->message);
  return FALSE;
}

static gboolean
check_costs (Names *names, const char *place, const TpNodeCost *costs, int n,
             GError **error)
{
  for (int i = 0; i < n; i++)
    if (!check_name (names, place, ".cost", costs[i].device, error))
      return FALSE;
  return TRUE;
}

static gboolean
check_copies (Names *names, const TpTensor *tensor, GError **error)
{
  g_autofree char *place
      = tensor->n_copies == 0 ? NULL
                              : g_strconcat ("copies.", tensor->name, NULL);

  for (int i = 0; i < tensor->n_copies; i++)
    if (!check_name (names, place, "", tensor->copies[i].device, error))
      return FALSE;
  return TRUE;
}

gboolean
tp_given_names_check (const TpGraph *graph, GError **error)
{
  Names names = { graph, NULL };

  for (int i = 0; i < graph->n_nodes; i++)
    {
      const TpNode *node = &graph->nodes[i];

      if (!check_costs (&names, node->place != NULL ? node->place : node->name,
                        node->costs, node->n_costs, error))
        return FALSE;
    }
  for (int i = 0; i < graph->n_groups; i++)
    {
      const TpGroupFigures *it = graph->groups[i].figures;

      if (!check_costs (&names, it->place, it->costs, it->n_costs, error))
        return FALSE;
    }
  for (int i = 0; i < graph->n_tensors; i++)
    if (!check_copies (&names, &graph->tensors[i], error))
      return FALSE;
  return TRUE;
}

/* ---- what is of no use ----------------------------------------------------- */

typedef struct
{
  const char *const *devices;
  char *first;                /* where the first is; NULL: there is none */
  const char *device;         /* of that */
  int n;
} Unused;

static void
add_unused (Unused *unused, const char *place, const char *key,
            const char *device)
{
  if (unused->n++ > 0)
    return;
  unused->first = g_strconcat (place, key, NULL);
  unused->device = device;
}

static void
find_in_costs (Unused *unused, const char *place, const TpNodeCost *costs, int n)
{
  for (int i = 0; i < n; i++)
    if (g_strv_contains (unused->devices, costs[i].device))
      return;
  if (n > 0)
    add_unused (unused, place, ".cost", costs[0].device);
}

static void
find_in_copies (Unused *unused, const TpTensor *tensor)
{
  g_autofree char *place = NULL;

  for (int i = 0; i < tensor->n_copies; i++)
    if (g_strv_contains (unused->devices, tensor->copies[i].device))
      return;
  if (tensor->n_copies == 0)
    return;
  place = g_strconcat ("copies.", tensor->name, NULL);
  add_unused (unused, place, "", tensor->copies[0].device);
}

char *
tp_given_names_find_unused (const TpGraph *graph, const char *const *devices)
{
  Unused unused = { devices, NULL, NULL, 0 };
  g_autofree char *first = NULL, *more = NULL;
  const char *source = graph->source;

  for (int i = 0; i < graph->n_nodes; i++)
    find_in_costs (&unused, graph->nodes[i].place != NULL ? graph->nodes[i].place
                                                          : graph->nodes[i].name,
                   graph->nodes[i].costs, graph->nodes[i].n_costs);
  for (int i = 0; i < graph->n_groups; i++)
    find_in_costs (&unused, graph->groups[i].figures->place,
                   graph->groups[i].figures->costs,
                   graph->groups[i].figures->n_costs);
  for (int i = 0; i < graph->n_tensors; i++)
    find_in_copies (&unused, &graph->tensors[i]);
  first = unused.first;
  if (unused.n == 0)
    return NULL;
  more = unused.n == 1 ? g_strdup ("has")
                       : g_strdup_printf ("and %d more have", unused.n - 1);
  return g_strdup_printf ("%s%s%s %s no cost of a device that is planned for, but "
                          "of '%s': costs of others have no say",
                          source != NULL ? source : "",
                          source != NULL ? ": " : "", first, more,
                          unused.device);
}
