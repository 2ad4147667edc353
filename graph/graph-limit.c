/* graph-limit.c: what a builder takes from one file, and how it complains. */
#include "config.h"

#include "graph/graph-limit.h"

#include "graph/graph-builder.h"
#include "graph/graph-draft.h"

void
tp_graph_builder_set_limits (TpGraphBuilder *builder, const TpLimits *limits,
                             gint64 size_bytes)
{
  if (limits != NULL)
    builder->draft->limits = *limits;
  builder->budget_bytes
      = tp_limits_get_memory (&builder->draft->limits, size_bytes);
  tp_region_set_budget (builder->draft->region, builder->budget_bytes);
}

void
tp_graph_builder_allow (TpGraphBuilder *builder, gint64 size_bytes)
{
  if (builder->budget_bytes > 0
      && tp_size_add (builder->budget_bytes, size_bytes,
                      &builder->budget_bytes))
    tp_region_set_budget (builder->draft->region, builder->budget_bytes);
}

void
tp_builder_set_error (TpGraphBuilder *builder, const char *place,
                      GError **error, const char *format, ...)
{
  g_autofree char *prefix = tp_draft_dup_prefix (builder->draft, place);
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, "%s%s", prefix, message);
}

void
tp_builder_set_limit_error (TpGraphBuilder *builder, TpLimit limit,
                            const char *place, GError **error,
                            const char *format, ...)
{
  g_autofree char *prefix = tp_draft_dup_prefix (builder->draft, place);
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  tp_limit_set_error (limit, prefix, error, "%s", message);
}
