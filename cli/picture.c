/* picture.c: a plan as JSON, packed or not, DOT, SVG or PNG, by suffix. */
#include "config.h"

#include "cli/picture.h"

#include "format/gzip.h"
#include "format/plan-save.h"
#include "view/render.h"

#include <string.h>

static GBytes *
make_json (const TpPlan *plan, const TpGraph *graph,
           const TpPictureOptions *options, GError **error)
{
  (void) options;
  return tp_plan_to_bytes (plan, graph, FALSE, error);
}

static GBytes *
make_packed (const TpPlan *plan, const TpGraph *graph,
             const TpPictureOptions *options, GError **error)
{
  (void) options;
  return tp_plan_to_bytes (plan, graph, TRUE, error);
}

static GBytes *
make_dot (const TpPlan *plan, const TpGraph *graph,
          const TpPictureOptions *options, GError **error)
{
  char *text
      = tp_view_to_dot (plan, graph, options->max_nodes, error);

  return text == NULL ? NULL : g_bytes_new_take (text, strlen (text));
}

static GBytes *
make_drawing (const TpPlan *plan, const TpGraph *graph,
              const TpPictureOptions *options, const char *format,
              GError **error)
{
  g_autofree char *dot
      = tp_view_to_dot (plan, graph, options->max_nodes, error);

  if (dot == NULL)
    return NULL;
  return tp_view_render (dot, format, options->limit_ns, error);
}

static GBytes *
make_svg (const TpPlan *plan, const TpGraph *graph,
          const TpPictureOptions *options, GError **error)
{
  return make_drawing (plan, graph, options, "svg", error);
}

static GBytes *
make_png (const TpPlan *plan, const TpGraph *graph,
          const TpPictureOptions *options, GError **error)
{
  return make_drawing (plan, graph, options, "png", error);
}

static const struct
{
  const char *suffix;
  GBytes *(*make) (const TpPlan *plan, const TpGraph *graph,
                   const TpPictureOptions *options, GError **error);
} kinds[] = {
  { ".json", make_json },
  { ".json" TP_GZIP_SUFFIX, make_packed },
  { ".dot", make_dot },
  { ".svg", make_svg },
  { ".png", make_png },
};

static int
find_kind (const char *path)
{
  if (strcmp (path, "-") == 0)
    return 0;
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_has_suffix (path, kinds[i].suffix))
      return (int) i;
  return -1;
}

gboolean
tp_picture_check (const char *path, GError **error)
{
  if (find_kind (path) >= 0)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "'%s': the suffix must be .json, .json.gz, .dot, .svg or .png%s", path,
               g_str_has_suffix (path, ".html")
                   ? "; `tplan report --help` says how to make a page"
                   : "");
  return FALSE;
}

gboolean
tp_picture_is_plan (const char *path)
{
  return kinds[find_kind (path)].make == make_json && strcmp (path, "-") != 0;
}

GBytes *
tp_picture_make (const char *path, const TpPlan *plan, const TpGraph *graph,
                 const TpPictureOptions *options, GError **error)
{
  return kinds[find_kind (path)].make (plan, graph, options, error);
}
