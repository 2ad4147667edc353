/* graph-bind.c: inputs and dimensions whose values are known while a graph is
 * loaded. */
#include "config.h"

#include "graph/graph-bind.h"

#include "graph/graph-builder-private.h"
#include "graph/graph-builder.h"
#include "graph/graph-draft.h"
#include "graph/graph-finish.h"
#include "graph/graph-limit.h"
#include "ir/array.h"
#include "ir/guard.h"
#include "ir/near-name.h"
#include "ir/region.h"
#include "ir/text.h"

#include <string.h>

/* Where an input of the file is in the list of the draft; -1: it is none. */
static int
find_input (TpGraphBuilder *builder, const char *name)
{
  const TpArray *inputs = builder->draft->inputs;
  int index = tp_builder_find_tensor (builder, name);

  for (guint i = 0; i < inputs->len; i++)
    if (tp_array_index (inputs, int, i) == index)
      return i;
  return -1;
}

/* What the file says of @tensor; every input has one. */
static guint
find_spec (TpGraphBuilder *builder, int tensor)
{
  guint i = 0;

  while (tp_array_index (builder->specs, TpBuilderSpec, i).tensor != tensor)
    i++;
  return i;
}

static gboolean
check_value (TpGraphBuilder *builder, const TpBuilderSpec *spec,
             const TpInputValue *value, GError **error)
{
  const char *name = tp_draft_tensor (builder->draft, spec->tensor)->name;

  if (value->dtype != spec->dtype)
    tp_builder_set_error (builder, spec->place, error,
                          "input '%s' is of %s, the value bound to it of %s",
                          name, tp_dtype_get_name (spec->dtype),
                          tp_dtype_get_name (value->dtype));
  else if (value->rank != spec->rank)
    tp_builder_set_error (builder, spec->place, error,
                          "input '%s' has %d dimensions, the value bound to it "
                          "%d", name, spec->rank, value->rank);
  else
    return TRUE;
  return FALSE;
}

/* A dimension without a number gets that of the value. */
static gboolean
match_dims (TpGraphBuilder *builder, const TpBuilderSpec *spec,
            const TpInputValue *value, TpDims *dims, GError **error)
{
  for (int i = 0; i < spec->rank; i++)
    {
      const TpDimSpec *dim = &spec->dims[i];
      const gint64 *known = dim->name == NULL ? &dim->value
                                              : tp_dims_find (dims, dim->name);

      if (known == NULL)
        tp_graph_builder_set_dim (builder, dim->name, value->dims[i]);
      else if (*known != value->dims[i])
        {
          tp_builder_set_error (
              builder, spec->place, error,
              "dimension %d is %" G_GINT64_FORMAT ", that of the value bound "
              "to it %" G_GINT64_FORMAT, i, *known, value->dims[i]);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
make_constant (TpGraphBuilder *builder, const TpBuilderSpec *spec,
               const TpInputValue *value, GError **error)
{
  TpTensor *tensor = tp_draft_tensor (builder->draft, spec->tensor);

  if (!tp_draft_set_shape (builder->draft, tensor, value->dtype, value->rank,
                           value->dims))
    {
      tp_builder_set_error (builder, spec->place, error,
                            "the value bound to '%s' is too large",
                            tensor->name);
      return FALSE;
    }
  tensor->init.data = tp_region_dup (builder->draft->region, value->data,
                                     tensor->size_bytes, 1, error);
  tensor->init.kind = TP_INIT_DATA;
  return tensor->init.data != NULL;
}

static gboolean
bind_value (TpGraphBuilder *builder, const char *name, const TpInputValue *value,
            TpDims *dims, GError **error)
{
  int input = find_input (builder, name);
  g_autofree char *prefix = NULL;
  TpBuilderSpec spec;
  guint index;

  if (input < 0)
    {
      prefix = tp_draft_dup_prefix (builder->draft, NULL);
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%sthe graph has no input '%s' to bind: leave it out",
                   prefix, name);
      return FALSE;
    }
  index = find_spec (builder,
                     tp_array_index (builder->draft->inputs, int, input));
  spec = tp_array_index (builder->specs, TpBuilderSpec, index);
  if (!check_value (builder, &spec, value, error)
      || !match_dims (builder, &spec, value, dims, error)
      || !make_constant (builder, &spec, value, error))
    return FALSE;
  tp_array_remove_index (builder->specs, index);
  tp_array_remove_index (builder->draft->inputs, input);
  return TRUE;
}

gboolean
tp_graph_builder_bind (TpGraphBuilder *builder, TpInputValues *values,
                       TpDims *dims, GError **error)
{
  GHashTableIter iter;
  gpointer name, value;

  if (values == NULL)
    return TRUE;
  g_hash_table_iter_init (&iter, values);
  while (g_hash_table_iter_next (&iter, &name, &value))
    if (!bind_value (builder, name, value, dims, error))
      return FALSE;
  return TRUE;
}

/* ---- values as text -------------------------------------------------------- */

void
tp_graph_builder_expect (TpGraphBuilder *builder, const char *const *values)
{
  builder->values = values;
}

/* What is behind "@name=" in @text; NULL: it is of another input. */
static const char *
find_numbers (const char *text, const char *name)
{
  gsize size = strlen (name);

  return strncmp (text, name, size) == 0 && text[size] == '=' ? text + size + 1
                                                              : NULL;
}

gboolean
tp_graph_builder_is_expected (const TpGraphBuilder *builder, const char *name)
{
  for (int i = 0; builder->values != NULL && builder->values[i] != NULL; i++)
    if (find_numbers (builder->values[i], name) != NULL)
      return TRUE;
  return FALSE;
}

/* A number as @dtype has it, to *@out. */
static gboolean
parse_number (const char *text, TpDtype dtype, void *out)
{
  gboolean is_true = strcmp (text, "true") == 0;
  gint64 integer = is_true;
  double real;
  char *end = NULL;

  if (!tp_dtype_is_integer (dtype))
    {
      real = g_ascii_strtod (text, &end);
      tp_dtype_store_doubles (dtype, &real, 1, out);
      return end != text && *end == '\0';
    }
  if ((!is_true && strcmp (text, "false") != 0)
      && !g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &integer,
                                    NULL))
    return FALSE;
  tp_dtype_get (dtype)->store_integers (&integer, 1, 1, out);
  return tp_dtype_wrap (dtype, integer) == integer;
}

/* NULL: not known yet. */
static const gint64 *
find_dim (TpGraphBuilder *builder, const TpDimSpec *dim, TpDims *dims)
{
  const gint64 *known = dim->name == NULL ? &dim->value
                        : dims == NULL    ? NULL
                                          : tp_dims_find (dims, dim->name);

  return known == NULL ? tp_dims_find (builder->dims, dim->name) : known;
}

/* Dimensions of @n values; of those not known at most one is not 1. */
static gboolean
shape_value (TpGraphBuilder *builder, const TpBuilderSpec *spec, TpDims *dims,
             gint64 n, TpInputValue *out)
{
  int open = -1;

  out->dtype = spec->dtype;
  out->rank = spec->rank;
  for (int i = 0; i < spec->rank; i++)
    {
      const gint64 *known = find_dim (builder, &spec->dims[i], dims);

      out->dims[i] = known == NULL ? 1 : *known;
      open = known == NULL ? i : open;
      if (out->dims[i] < 1 || (known != NULL && n % out->dims[i] != 0))
        return FALSE;
      n /= known == NULL ? 1 : out->dims[i];
    }
  if (open >= 0)
    out->dims[open] = n;
  return open >= 0 || n == 1;
}

static gboolean
fail_value (TpGraphBuilder *builder, const char *text, const char *what,
            GError **error)
{
  g_autofree char *prefix = tp_draft_dup_prefix (builder->draft, NULL);

  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE, "%svalue '%s': %s", prefix,
               text, what);
  return FALSE;
}

/* Appends such as "[N=4, 2]". */
static void
append_shape (TpGraphBuilder *builder, const TpBuilderSpec *spec, TpDims *dims,
              GString *what)
{
  tp_text_append_c (what, '[');
  for (int i = 0; i < spec->rank; i++)
    {
      const TpDimSpec *dim = &spec->dims[i];
      const gint64 *known = find_dim (builder, dim, dims);

      tp_text_append_printf (what, "%s%s%s", i > 0 ? ", " : "",
                             dim->name != NULL ? dim->name : "",
                             dim->name != NULL && known != NULL ? "=" : "");
      if (known != NULL)
        tp_text_append_printf (what, "%" G_GINT64_FORMAT, *known);
    }
  tp_text_append_c (what, ']');
}

static gboolean
bind_text (TpGraphBuilder *builder, const char *text, const char *name,
           TpDims *dims, GError **error)
{
  g_auto (GStrv) numbers = g_strsplit (find_numbers (text, name), ",", -1);
  const TpBuilderSpec *spec = &tp_array_index (
      builder->specs, TpBuilderSpec,
      find_spec (builder, tp_builder_find_tensor (builder, name)));
  gsize size = tp_dtype_get_size (spec->dtype);
  int n = (int) g_strv_length (numbers);
  g_autofree char *data = tp_new0 (char, (n + 1) * size);
  g_autofree char *own = g_strdup (name);
  g_autoptr (GString) what = g_string_new (NULL);
  TpInputValue value = { .data = data };

  for (int i = 0; i < n; i++)
    if (!parse_number (numbers[i], spec->dtype, data + i * size))
      return fail_value (builder, text, "it is no list of numbers that the "
                                        "element type of the input has", error);
  if (!shape_value (builder, spec, dims, n, &value))
    {
      tp_text_append_printf (what, "%d number%s not fill the shape of the input, ",
                             n, n == 1 ? " does" : "s do");
      append_shape (builder, spec, dims, what);
      return fail_value (builder, text, what->str, error);
    }
  return bind_value (builder, own, &value, dims, error);
}

static gboolean
fail_unnamed (TpGraphBuilder *builder, const char *text, GError **error)
{
  const TpArray *inputs = builder->draft->inputs;
  g_autofree const char **known = tp_new0 (const char *, inputs->len + 1);
  g_autofree char *list = NULL, *what = NULL;

  for (guint i = 0; i < inputs->len; i++)
    known[i] = tp_draft_tensor (builder->draft,
                                tp_array_index (inputs, int, i))->name;
  list = tp_near_name_list (known);
  what = g_strconcat ("it is not NAME=1,2,3 with an input of the graph that has no "
                      "value yet", list, NULL);
  return fail_value (builder, text, what, error);
}

/* Of an input whose name, followed by '=', @text begins with; NULL: none. */
static const char *
find_named (TpGraphBuilder *builder, const char *text)
{
  const TpArray *inputs = builder->draft->inputs;

  for (guint i = 0; i < inputs->len; i++)
    {
      const char *name
          = tp_draft_tensor (builder->draft, tp_array_index (inputs, int, i))
                ->name;

      if (find_numbers (text, name) != NULL)
        return name;
    }
  return NULL;
}

gboolean
tp_graph_builder_bind_expected (TpGraphBuilder *builder, TpDims *dims,
                                GError **error)
{
  for (int i = 0; builder->values != NULL && builder->values[i] != NULL; i++)
    {
      const char *text = builder->values[i];
      const char *name = find_named (builder, text);

      if (name == NULL)
        return fail_unnamed (builder, text, error);
      if (!bind_text (builder, text, name, dims, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- dimensions ------------------------------------------------------------ */

void
tp_graph_builder_assume (TpGraphBuilder *builder, TpDims *dims,
                         TpDims *assumed)
{
  for (guint i = 0; i < builder->specs->len; i++)
    {
      const TpBuilderSpec *spec
          = &tp_array_index (builder->specs, TpBuilderSpec, i);

      for (int k = 0; k < spec->rank; k++)
        {
          const char *name = spec->dims[k].name;

          if (name == NULL || tp_dims_find (builder->dims, name) != NULL
              || tp_dims_find (dims, name) != NULL)
            continue;
          tp_graph_builder_set_dim (builder, name, 1);
          tp_dims_set (assumed, name, 1);
        }
    }
}

/* @spec with the numbers that @dims gives its names. */
static gboolean
fix_spec (TpGraphBuilder *builder, TpBuilderSpec *spec, const TpDims *dims,
          GError **error)
{
  TpDimSpec *fixed = tp_region_alloc (builder->draft->region,
                                      MAX (spec->rank, 1), sizeof *fixed,
                                      error);

  if (fixed == NULL)
    return FALSE;
  for (int k = 0; k < spec->rank; k++)
    {
      const char *name = spec->dims[k].name;
      const gint64 *value = name == NULL ? NULL : tp_dims_find (dims, name);

      fixed[k] = value == NULL ? spec->dims[k] : (TpDimSpec){ *value, NULL };
    }
  spec->dims = fixed;
  return TRUE;
}

gboolean
tp_graph_builder_fix (TpGraphBuilder *builder, const TpDims *dims,
                      GError **error)
{
  g_autoptr (TpDims) open = tp_dims_new ();

  if (!tp_builder_check_dims (builder, dims, error))
    return FALSE;
  for (int i = 0; i < tp_dims_size (builder->dims); i++)
    {
      const char *name = tp_dims_get_name (builder->dims, i);

      if (tp_dims_find (dims, name) == NULL)
        tp_dims_set (open, name, *tp_dims_find (builder->dims, name));
    }
  tp_dims_unref (builder->dims);
  builder->dims = g_steal_pointer (&open);
  for (guint i = 0; i < builder->specs->len; i++)
    if (!fix_spec (builder, &tp_array_index (builder->specs, TpBuilderSpec, i),
                   dims, error))
      return FALSE;
  return TRUE;
}
