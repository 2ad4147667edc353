/* graph-json-row.c: see graph-json-row.h. */
#include "config.h"

#include "format/graph-json-row.h"

#include "graph/graph-expand.h"
#include "ir/decimal.h"

#include <string.h>

#define MAX_DIGITS 18         /* less than 2^60, above which no time is */
#define MAX_PLACE 64

static gboolean
is_plain (char c)
{
  return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void
skip_space (char **at)
{
  while (**at == ' ' || **at == '\n' || **at == '\r' || **at == '\t')
    ++*at;
}

/* @sign and the space around it. */
static gboolean
take (char **at, char sign)
{
  skip_space (at);
  if (**at != sign)
    return FALSE;
  ++*at;
  skip_space (at);
  return TRUE;
}

/* The nul that ends it stands in place of its quote. */
static gboolean
take_string (char **at, const char **out)
{
  skip_space (at);
  if (**at != '"')
    return FALSE;
  *out = ++*at;
  while (is_plain (**at))
    ++*at;
  if (**at != '"')
    return FALSE;
  *(*at)++ = 0;
  return TRUE;
}

static gboolean
take_number (char **at, gint64 *out)
{
  const char *begin = *at;

  for (*out = 0; g_ascii_isdigit (**at) && *at - begin < MAX_DIGITS; ++*at)
    *out = 10 * *out + (**at - '0');
  return *at > begin && !g_ascii_isdigit (**at)
         && (*begin != '0' || *at == begin + 1);
}

/* After an element: whether another follows, or @close, which is taken. */
static gboolean
take_next (char **at, char close, gboolean *has_more)
{
  *has_more = take (at, ',');
  return *has_more || take (at, close);
}

/* After @open: an empty list or object is taken whole. */
static gboolean
take_open (char **at, char open, char close, gboolean *has_more)
{
  if (!take (at, open))
    return FALSE;
  *has_more = !take (at, close);
  return TRUE;
}

static gboolean
take_names (char **at, TpGraphRowNames *names)
{
  gboolean has_more;

  if (!take_open (at, '[', ']', &has_more))
    return FALSE;
  while (has_more)
    if (names->n == TP_GRAPH_ROW_NAMES
        || !take_string (at, &names->names[names->n++])
        || !take_next (at, ']', &has_more))
      return FALSE;
  return TRUE;
}

/* A time, or a list of it and its spread. */
static gboolean
take_figure (char **at, TpNodeCost *cost)
{
  cost->spread_ns = 0;
  if (!take (at, '['))
    return take_number (at, &cost->time_ns);
  return take_number (at, &cost->time_ns) && take (at, ',')
         && take_number (at, &cost->spread_ns) && take (at, ']');
}

static gboolean
has_cost (const TpGraphRow *row, const char *device)
{
  for (int i = 0; i < row->n_costs; i++)
    if (strcmp (row->costs[i].device, device) == 0)
      return TRUE;
  return FALSE;
}

/* One at least, of a device each. */
static gboolean
take_costs (char **at, TpGraphRow *row)
{
  gboolean has_more;

  if (!take_open (at, '{', '}', &has_more) || !has_more)
    return FALSE;
  while (has_more)
    {
      TpNodeCost *cost = &row->costs[row->n_costs];

      if (row->n_costs == TP_GRAPH_ROW_NAMES
          || !take_string (at, &cost->device) || has_cost (row, cost->device)
          || !take (at, ':') || !take_figure (at, cost)
          || !take_next (at, '}', &has_more))
        return FALSE;
      row->n_costs++;
    }
  return TRUE;
}

static gboolean
take_shape (char **at, TpDimSpec *dims, int *rank)
{
  gboolean has_more;

  if (!take_open (at, '[', ']', &has_more))
    return FALSE;
  for (*rank = 0; has_more; ++*rank)
    {
      if (*rank == TP_MAX_RANK)
        return FALSE;
      dims[*rank] = (TpDimSpec){ -1, NULL };
      if (!take_string (at, &dims[*rank].name)
          && !take_number (at, &dims[*rank].value))
        return FALSE;
      if (!take_next (at, ']', &has_more))
        return FALSE;
    }
  return TRUE;
}

static gboolean
take_shapes (char **at, TpGraphRow *row)
{
  gboolean has_more;

  if (!take_open (at, '[', ']', &has_more) || !has_more)
    return FALSE;
  for (; has_more; row->n_shapes++)
    if (row->n_shapes == TP_GRAPH_ROW_NAMES
        || !take_shape (at, row->dims[row->n_shapes],
                        &row->ranks[row->n_shapes])
        || !take_next (at, ']', &has_more))
      return FALSE;
  return TRUE;
}

/* The value of @key, which is not in @seen yet. */
static gboolean
take_value (char **at, const char *key, guint *seen, TpGraphRow *row)
{
  static const char *const keys[]
      = { "name", "type", "inputs", "outputs", "cost", "shapes" };
  guint i = 0;

  while (i < G_N_ELEMENTS (keys) && strcmp (key, keys[i]) != 0)
    i++;
  if ((*seen & 1u << i) != 0)
    return FALSE;
  *seen |= 1u << i;
  switch (i)
    {
    case 0:
      return take_string (at, &row->name);
    case 1:
      return take_string (at, &row->type);
    case 2:
      return take_names (at, &row->inputs);
    case 3:
      return take_names (at, &row->outputs);
    case 4:
      return take_costs (at, row);
    case 5:
      return take_shapes (at, row);
    default:
      return FALSE;
    }
}

static gboolean
take_members (char **at, TpGraphRow *row)
{
  gboolean has_more;
  guint seen = 0;

  if (!take_open (at, '{', '}', &has_more))
    return FALSE;
  while (has_more)
    {
      const char *key;

      if (!take_string (at, &key) || !take (at, ':')
          || !take_value (at, key, &seen, row)
          || !take_next (at, '}', &has_more))
        return FALSE;
    }
  return TRUE;
}

gboolean
tp_graph_row_scan (const char *text, gsize size, TpGraphRow *row)
{
  char *at = row->text;

  if (size > TP_GRAPH_ROW_BYTES || memchr (text, 0, size) != NULL)
    return FALSE;
  memcpy (row->text, text, size);
  row->text[size] = 0;
  row->name = row->type = NULL;
  row->inputs.n = row->outputs.n = row->n_costs = row->n_shapes = 0;
  return take_members (&at, row) && *at == 0 && row->type != NULL
         && row->outputs.n > 0
         && (row->n_shapes == 0 || row->n_shapes == row->outputs.n);
}

gboolean
tp_graph_row_is_fed (const TpGraphJson *reader, const TpGraphRow *row)
{
  for (int i = 0; i < row->inputs.n; i++)
    if (*row->inputs.names[i] != 0
        && !tp_graph_builder_is_defined (reader->builder,
                                         row->inputs.names[i]))
      return FALSE;
  return TRUE;
}

static gboolean
declare_output (const TpGraphJson *reader, const TpGraphRow *row, gsize index,
                int i, GError **error)
{
  char place[MAX_PLACE];
  TpTensorSpec output = { .name = row->outputs.names[i],
                          .dtype = TPLAN_DTYPE_FLOAT32,
                          .rank = row->ranks[i],
                          .dims = row->dims[i],
                          .place = place };

  g_snprintf (place, sizeof place, "ops[%" G_GSIZE_FORMAT "].shapes[%d]",
              index, i);
  return tp_graph_builder_declare (reader->builder, &output, error);
}

gboolean
tp_graph_row_add (const TpGraphJson *reader, const TpGraphRow *row,
                  gsize index, GError **error)
{
  char place[MAX_PLACE];
  TpNode node = { .name = row->name,
                  .type = row->type,
                  .n_costs = row->n_costs,
                  .costs = row->n_costs == 0 ? NULL : row->costs,
                  .place = place };
  TpNodeNames names = { row->inputs.n, row->inputs.names, row->outputs.n,
                        row->outputs.names };

  for (int i = 0; i < row->n_shapes; i++)
    if (!declare_output (reader, row, index, i, error))
      return FALSE;
  strcpy (place, "ops[");
  strcpy (place + 4 + tp_decimal_write ((gint64) index, place + 4), "]");
  return tp_graph_builder_add_node (reader->builder, &node, names, error);
}
