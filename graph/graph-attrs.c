/* graph-attrs.c: attributes against the op table. */
#include "config.h"

#include "graph/graph-attrs.h"

#include <string.h>

#define MAX_ATTRS 256 /* of one op */

static const char *const kind_names[] = {
  [TP_ATTR_INT] = "an integer",      [TP_ATTR_FLOAT] = "a number",
  [TP_ATTR_STRING] = "a string",     [TP_ATTR_INTS] = "a list of integers",
  [TP_ATTR_FLOATS] = "a list of numbers", [TP_ATTR_TENSOR] = "a tensor",
  [TP_ATTR_STRINGS] = "a list of strings",
};

static char *
list_attrs (const TpOp *op)
{
  g_autoptr (GString) list = g_string_new (NULL);

  for (const TpAttrSpec *spec = op->attrs; spec && spec->name; spec++)
    g_string_append_printf (list, "%s%s", list->len ? ", " : "", spec->name);
  if (list->len == 0)
    g_string_append (list, "no attributes");
  return g_string_free (g_steal_pointer (&list), FALSE);
}

static const TpAttrSpec *
find_spec (const TpOp *op, const char *name)
{
  for (const TpAttrSpec *spec = op->attrs; spec && spec->name; spec++)
    if (strcmp (spec->name, name) == 0)
      return spec;
  return NULL;
}

static gboolean
widen_list (TpRegion *region, TpAttr *attr, GError **error)
{
  double *floats = tp_region_alloc (region, attr->n, sizeof (double), error);

  if (floats == NULL)
    return FALSE;
  for (int i = 0; i < attr->n; i++)
    floats[i] = attr->ints[i];
  attr->floats = floats;
  attr->ints = NULL;
  attr->kind = TP_ATTR_FLOATS;
  return TRUE;
}

static gboolean
is_list (TpAttrKind kind)
{
  return kind == TP_ATTR_INTS || kind == TP_ATTR_FLOATS
         || kind == TP_ATTR_STRINGS;
}

/* Makes @attr of the kind of @spec where nothing is lost. */
static gboolean
fit (TpRegion *region, TpAttr *attr, const TpAttrSpec *spec,
     const char *prefix, GError **error)
{
  if (attr->kind == spec->kind)
    return TRUE;
  if (attr->kind == TP_ATTR_INT && spec->kind == TP_ATTR_FLOAT)
    {
      attr->kind = TP_ATTR_FLOAT;
      attr->f = attr->i;
      return TRUE;
    }
  if (attr->kind == TP_ATTR_INTS && spec->kind == TP_ATTR_FLOATS)
    return widen_list (region, attr, error);
  if (attr->n == 0 && is_list (attr->kind) && is_list (spec->kind))
    {
      attr->kind = spec->kind;
      return TRUE;
    }
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%sattribute '%s' is %s, must be %s", prefix, attr->name,
               kind_names[attr->kind], kind_names[spec->kind]);
  return FALSE;
}

static gboolean
check (TpRegion *region, const TpOp *op, TpAttr *attr, const char *prefix,
       GError **error)
{
  const TpAttrSpec *spec = find_spec (op, attr->name);
  g_autofree char *list = NULL;

  if (spec != NULL)
    return fit (region, attr, spec, prefix, error);
  list = list_attrs (op);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s%s has no attribute '%s'; it has %s", prefix, op->name,
               attr->name, list);
  return FALSE;
}

static gboolean
copy_strings (TpRegion *region, TpAttr *attr, GError **error)
{
  const char **strings =
      tp_region_alloc (region, attr->n, sizeof (char *), error);

  for (int i = 0; strings != NULL && i < attr->n; i++)
    if ((strings[i] = tp_region_strdup (region, attr->strings[i], error))
        == NULL)
      return FALSE;
  attr->strings = strings;
  return strings != NULL;
}

static gboolean
copy_values (TpRegion *region, TpAttr *attr, GError **error)
{
  if (attr->kind == TP_ATTR_STRING)
    return (attr->s = tp_region_strdup (region, attr->s, error)) != NULL;
  if (attr->kind == TP_ATTR_INTS)
    return (attr->ints = tp_region_dup (region, attr->ints, attr->n,
                                        sizeof (gint64), error)) != NULL;
  if (attr->kind == TP_ATTR_FLOATS)
    return (attr->floats = tp_region_dup (region, attr->floats, attr->n,
                                          sizeof (double), error)) != NULL;
  if (attr->kind == TP_ATTR_STRINGS)
    return copy_strings (region, attr, error);
  return TRUE;
}

/* Real attributes are of single precision, as ONNX keeps them, whatever the file
 * can hold: so a graph is the same in both formats. */
static void
round_reals (TpAttr *attr)
{
  double *floats = (double *) attr->floats; /* copied into the region */

  if (attr->kind == TP_ATTR_FLOAT)
    attr->f = (float) attr->f;
  for (int i = 0; attr->kind == TP_ATTR_FLOATS && i < attr->n; i++)
    floats[i] = (float) floats[i];
}

static gboolean
check_required (const TpNode *node, const char *prefix, GError **error)
{
  for (const TpAttrSpec *spec = node->op->attrs; spec && spec->name; spec++)
    if (spec->is_required && tp_node_find_attr (node, spec->name) == NULL)
      {
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                     "%s%s needs the attribute '%s'", prefix, node->op->name,
                     spec->name);
        return FALSE;
      }
  return TRUE;
}

gboolean
tp_attrs_copy (TpRegion *region, const TpNode *src, TpNode *dst,
               const char *prefix, GError **error)
{
  TpAttr *attrs;

  if (src->n_attrs > MAX_ATTRS)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s%d attributes; an op may have %d", prefix, src->n_attrs,
                   MAX_ATTRS);
      return FALSE;
    }
  attrs = tp_region_dup (region, src->attrs, src->n_attrs, sizeof (TpAttr),
                         error);
  if (attrs == NULL)
    return FALSE;
  dst->attrs = attrs;
  for (dst->n_attrs = 0; dst->n_attrs < src->n_attrs; dst->n_attrs++)
    {
      TpAttr *attr = &attrs[dst->n_attrs];

      if (tp_node_find_attr (dst, attr->name) != NULL)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                       "%sattribute '%s' is given twice", prefix, attr->name);
          return FALSE;
        }
      if (!copy_values (region, attr, error)
          || (attr->name = tp_region_strdup (region, attr->name, error)) == NULL
          || (dst->op != NULL && !check (region, dst->op, attr, prefix, error)))
        return FALSE;
      round_reals (attr);
    }
  return dst->op == NULL || check_required (dst, prefix, error);
}
