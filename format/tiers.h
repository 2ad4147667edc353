/* tiers.h: one file with a plan for each of several values of a dimension.
 *
 *   { "format": "tplan-tiers/1", "parameter": "N", "plans": [ {...}, {...} ] }
 *
 * Each plan says in its own "dims" which value it is for; values rise. */
#ifndef TP_FORMAT_TIERS_H
#define TP_FORMAT_TIERS_H

#include "graph/graph-bind.h"

/* Whether @text starts as tp_tiers_to_json () does. */
gboolean tp_tiers_is (const char *text, gsize size);

/* @plans: of tp_plan_to_json (), by rising value. The caller frees. */
char *tp_tiers_to_json (const char *parameter, const char *const *plans);

/* What the file is about. @out_values: of gint64, rising. TPLAN_ERROR_INPUT: it is
 * none. The caller frees both. */
gboolean tp_tiers_list (GBytes *file, const char *path, char **out_parameter,
                        GArray **out_values, GError **error);

/**
 * tp_tiers_pick:
 * @file: a plan, or tiers
 * @path: for people
 * @dims: (nullable): what it is to be run with
 *
 * Returns: (transfer full): the plan for the least value that is not less than the
 *   one in @dims; a plan by itself, as it is. %NULL with @error:
 *   TPLAN_ERROR_INPUT: no such file, by place;
 *   TPLAN_ERROR_USAGE: @dims has no value, or one above all there are.
 */
GBytes *tp_tiers_pick (GBytes *file, const char *path, TpDims *dims,
                       GError **error);

#endif
