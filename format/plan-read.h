/* plan-read.h: typed access to the JSON of a plan, with errors that say where. */
#ifndef TP_FORMAT_PLAN_READ_H
#define TP_FORMAT_PLAN_READ_H

#include <jansson.h>

#include "format/load-options.h"
#include "format/plan-lines.h"
#include "ir/map.h"
#include "ir/plan.h"

/* Name -> index + 1; NULL until one is looked up. */
typedef struct
{
  TpMap *nodes, *tensors;
} TpPlanNames;

typedef struct
{
  const char *path;           /* of the plan, for messages */
  const struct TpPlanSource *source; /* where both come from */
  const TpLoadOptions *options; /* for the graph */
  const TpGraph *graph;       /* once loaded */
  TpPlanNames *names;
  TpMap *devices;
  TpPlanLines *lines;         /* NULL: all was parsed as a whole */
} TpPlanReader;

/* Makes what it looks up names in: there are none yet. */
void tp_plan_reader_init (TpPlanReader *reader);
void tp_plan_reader_clear (TpPlanReader *reader);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpPlanReader, tp_plan_reader_clear)
/* Of its graph. */
const TpMap *tp_plan_reader_get_nodes (const TpPlanReader *reader);
const TpMap *tp_plan_reader_get_tensors (const TpPlanReader *reader);

/* "PATH: PLACE: MESSAGE: REMEDY" in TPLAN_ERROR_INPUT; always FALSE. */
gboolean tp_plan_read_fail (const TpPlanReader *reader, GError **error,
                            const char *place, const char *format, ...)
    G_GNUC_PRINTF (4, 5);

/* A value in the plan and how messages call it; "" is the top. */
typedef struct
{
  const TpPlanReader *reader;
  const char *path;
  const json_t *json;
} TpPlanPlace;

/* @json, a part of what stands at @place and called the same. */
static inline TpPlanPlace
tp_plan_place_enter (TpPlanPlace place, const json_t *json)
{
  return (TpPlanPlace){ place.reader, place.path, json };
}

/* @key of the object at @place. */
gboolean tp_plan_read_number (TpPlanPlace place, const char *key,
                              gint64 *out_value, GError **error);
/* KEY_low_ns and KEY_high_ns; both are left as they are where there are none. */
gboolean tp_plan_read_interval (TpPlanPlace place, const char *key,
                                gint64 *out_low_ns, gint64 *out_high_ns,
                                GError **error);
/* %NULL in *out_text is allowed only when @is_nullable. */
gboolean tp_plan_read_string (TpPlanPlace place, const char *key,
                              gboolean is_nullable, const char **out_text,
                              GError **error);
gboolean tp_plan_read_strings (TpPlanPlace place, const char *key,
                               char ***out_list, GError **error);
/* A list of exactly @length elements, or any when -1. */
gboolean tp_plan_read_list (TpPlanPlace place, const char *key, gint64 length,
                            json_t **out_list, GError **error);
/* Likewise of the top, one after the other: @length of those that there are. */
gboolean tp_plan_read_rows (TpPlanPlace root, const char *key, gint64 length,
                            TpPlanRows *out_rows, GError **error);
/* All of a list of indices, or -1, which is the caller's, also after an error. */
gboolean tp_plan_read_indices (TpPlanPlace place, const char *key, int **out,
                               int *out_n, GError **error);
/* A name that @names knows: its index. */
gboolean tp_plan_read_name (TpPlanPlace place, const TpMap *names,
                            int *out_index, GError **error);
/* A JSON integer in [@low, TP_PLAN_MAX_NUMBER]. */
gboolean tp_plan_read_integer (TpPlanPlace place, gint64 low, gint64 *out_value,
                               GError **error);

#endif
