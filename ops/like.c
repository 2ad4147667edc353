/* like.c: see like.h.
 *
 * Large graphs are made of few kinds of nodes. All that lowering looks at is
 * written down as a row of bytes; nodes with equal rows are alike. So are tensors, of
 * which rows of nodes have but the kind; most are of the kind of one met lately. Of a
 * group the rows of its nodes are known: its own says which they are, and which of
 * their tensors are one. */
#include "config.h"

#include "ops/like.h"

#include "ir/graph-value.h"
#include "ir/guard.h"
#include "ir/map.h"
#include "ir/name-hash.h"
#include "ir/op.h"
#include "ir/outline.h"
#include "ir/text.h"

#include <string.h>

/* Of constants, lowering reads lists of axes, bounds and lengths, and numbers:
 * not weights. */
#define MAX_REALS (2 * TP_MAX_RANK)
#define MAX_INTEGERS 512
#define N_LATELY 8            /* a power of two */
#define N_RECENT 256          /* likewise */

#define STATEFUL (-1)         /* what is said of it depends on the row */

typedef struct
{
  int kind;                   /* 1 + the first of its kind; 0: not known; or STATEFUL */
  int row;                    /* it was last described in */
  int number;                 /* the how-manieth it was there */
} Told;

/* One that was met; its bytes lie behind it. */
typedef struct
{
  const char *bytes;
  gsize n;
  int first;                  /* index with it */
} Row;

typedef struct
{
  const TpGraph *graph;
  const TpOutline *outline;   /* of it */
  TpMap *rows;                /* set of Row */
  const Row *recent[N_RECENT]; /* of @rows, by a cheap hash; NULL: none */
  GString *row;               /* being written */
  GString *tensor_row;        /* amid that */
  Told *told;                 /* [tensor] */
  int n_rows;
  int n_tensors;              /* described in this row */
  TpMap *kinds;               /* likewise: rows of tensors */
  int lately[N_LATELY];       /* 1 + plain tensors, each of another kind; 0: none */
  guint n_lately;             /* that there were */
} Writer;

/* Seven bits a byte, the last without the eighth. */
static void
add_large (Writer *writer, gint64 value)
{
  guint8 bytes[10];
  guint64 rest = value;
  int n = 0;

  while (rest > 0x7f)
    {
      bytes[n++] = rest | 0x80;
      rest >>= 7;
    }
  bytes[n++] = rest;
  tp_text_append_len (writer->row, (const char *) bytes, n);
}

/* Most are small. */
static inline void
add_number (Writer *writer, gint64 value)
{
  GString *row = writer->row;

  if (value < 0 || value > 0x7f || row->len + 1 >= row->allocated_len)
    {
      add_large (writer, value);
      return;
    }
  row->str[row->len++] = (char) value;
  row->str[row->len] = 0;
}

static inline void
add_pointer (Writer *writer, gconstpointer value)
{
  GString *row = writer->row;

  if (row->len + sizeof value >= row->allocated_len)
    {
      tp_text_append_len (row, (const char *) &value, sizeof value);
      return;
    }
  memcpy (row->str + row->len, &value, sizeof value);
  row->len += sizeof value;
  row->str[row->len] = 0;
}

static void
add_string (Writer *writer, const char *text)
{
  gsize n = text == NULL ? 0 : strlen (text);

  add_number (writer, text == NULL ? 0 : n + 1);
  tp_text_append_len (writer->row, text, n);
}

static void
add_real (Writer *writer, double value)
{
  tp_text_append_len (writer->row, (const char *) &value, sizeof value);
}

static void
add_value (Writer *writer, const TpTensor *tensor)
{
  gboolean is_integer = tp_dtype_is_integer (tensor->dtype);
  double values[MAX (MAX_REALS, MAX_INTEGERS)];
  gboolean is_short = tensor->count <= (is_integer ? MAX_INTEGERS : MAX_REALS);

  add_number (writer, is_short);
  if (is_short)
    {
      tp_tensor_write_doubles (tensor, values);
      tp_text_append_len (writer->row, (const char *) values,
                          tensor->count * sizeof values[0]);
    }
  else if (is_integer) /* no other has them */
    add_number (writer, tensor - writer->graph->tensors);
}

static void
describe_tensor (Writer *writer, const TpTensor *tensor)
{
  add_number (writer, tensor->dtype);
  add_number (writer, tensor->rank);
  for (int i = 0; i < tensor->rank; i++)
    {
      add_number (writer, tensor->dims[i]);
      add_number (writer, tensor->strides[i]);
    }
  add_number (writer, tensor->is_output);
  add_number (writer, MIN (tensor->n_consumers, 2));
  add_number (writer, tp_tensor_is_resident (tensor));
  add_number (writer, tensor->state == 0                          ? 0
                      : writer->told[tensor->state - 1].row != writer->n_rows
                          ? 1
                          : 2 + writer->told[tensor->state - 1].number);
  add_number (writer, tp_tensor_is_constant (tensor));
  if (tp_tensor_is_constant (tensor))
    add_value (writer, tensor);
}

static const Row *find_row (const Writer *writer, TpMap *rows, int index);

/* Of two that are not resident: whether nothing that is written of them differs. Others
 * may be alike, too. */
static gboolean
are_plainly_alike (const TpTensorOutline *a, const TpTensorOutline *b)
{
  return a->form == b->form && a->is_output == b->is_output
         && MIN (a->n_readers, 2) == MIN (b->n_readers, 2);
}

/* The first of which the same is written. */
static int
number_kind (Writer *writer, int index)
{
  GString *row = writer->row;
  int first;

  writer->row = writer->tensor_row;
  writer->tensor_row = row;
  g_string_truncate (writer->row, 0);
  describe_tensor (writer, &writer->graph->tensors[index]);
  first = find_row (writer, writer->kinds, index)->first;
  writer->tensor_row = writer->row;
  writer->row = row;
  return first;
}

/* 1 + the first that is described as @index is; or STATEFUL. */
static int
find_kind (Writer *writer, int index)
{
  const TpTensorOutline *tensors = writer->outline->tensors;
  gboolean plain = !tensors[index].is_resident;
  int kind;

  if (tensors[index].is_state)
    return STATEFUL;
  for (int i = 0; plain && i < N_LATELY && writer->lately[i] > 0; i++)
    if (are_plainly_alike (&tensors[writer->lately[i] - 1], &tensors[index]))
      return writer->told[writer->lately[i] - 1].kind;
  kind = 1 + number_kind (writer, index);
  if (plain)
    writer->lately[writer->n_lately++ % N_LATELY] = 1 + index;
  return kind;
}

static int
get_kind (Writer *writer, int index)
{
  Told *told = &writer->told[index];

  if (told->kind == 0)
    told->kind = find_kind (writer, index);
  return told->kind;
}

/* Writes which of this row it is, where it comes again. */
static gboolean
is_told_again (Writer *writer, int index)
{
  Told *told = &writer->told[index];

  if (told->row == writer->n_rows)
    {
      add_number (writer, 2 + 2 * (gint64) told->number);
      return TRUE;
    }
  told->row = writer->n_rows;
  told->number = writer->n_tensors++;
  return FALSE;
}

static void
add_tensor (Writer *writer, int index)
{
  int kind;

  if (index < 0)
    {
      add_number (writer, 0);
      return;
    }
  if (is_told_again (writer, index))
    return;
  kind = get_kind (writer, index);
  add_number (writer, kind == STATEFUL ? 1 : 1 + 2 * (gint64) kind);
  if (kind == STATEFUL)
    describe_tensor (writer, &writer->graph->tensors[index]);
}

static void
add_attr (Writer *writer, const TpAttr *attr)
{
  add_string (writer, attr->name);
  add_number (writer, attr->kind);
  add_number (writer, attr->dtype);
  add_number (writer, attr->n);
  add_real (writer, attr->f);
  if (attr->kind == TP_ATTR_TENSOR)
    add_tensor (writer, (int) attr->i);
  else
    add_number (writer, attr->i);
  add_string (writer, attr->kind == TP_ATTR_STRING ? attr->s : NULL);
  for (int i = 0; i < attr->n; i++)
    if (attr->kind == TP_ATTR_INTS)
      add_number (writer, attr->ints[i]);
    else if (attr->kind == TP_ATTR_FLOATS)
      add_real (writer, attr->floats[i]);
    else if (attr->kind == TP_ATTR_STRINGS)
      add_string (writer, attr->strings[i]);
}

static void
add_attrs (Writer *writer, const TpNode *node)
{
  add_number (writer, node->n_attrs);
  for (int i = 0; i < node->n_attrs; i++)
    add_attr (writer, &node->attrs[i]);
}

/* Types that have an op are told by that: its place in the table. */
static void
add_node (Writer *writer, int index)
{
  const TpNodeOutline *node = &writer->outline->nodes[index];

  add_pointer (writer, node->op);
  if (node->op == NULL)
    add_string (writer, writer->graph->nodes[index].type);
  else if (node->op->flags & TP_OP_NAMED)
    add_string (writer, writer->graph->nodes[index].name);
  add_number (writer, node->opset);
  add_number (writer, node->has_small_sums);
  add_number (writer, node->n_inputs);
  for (int i = 0; i < node->n_inputs; i++)
    add_tensor (writer, node->inputs[i]);
  add_number (writer, node->n_outputs);
  for (int i = 0; i < node->n_outputs; i++)
    add_tensor (writer, node->outputs[i]);
  add_number (writer, node->has_attrs);
  if (node->has_attrs)
    add_attrs (writer, &writer->graph->nodes[index]);
}

static void
begin_row (Writer *writer)
{
  g_string_truncate (writer->row, 0);
  writer->n_rows++;
  writer->n_tensors = 0;
}

static void
write_row (Writer *writer, const int *nodes, int n_nodes)
{
  begin_row (writer);
  add_number (writer, n_nodes);
  for (int i = 0; i < n_nodes; i++)
    add_node (writer, nodes[i]);
}

/* ---- groups ------------------------------------------------------------- */

/* Returns FALSE where the row of its node does not say all of it. */
static gboolean
link_tensor (Writer *writer, int index)
{
  if (index >= 0 && !is_told_again (writer, index))
    add_number (writer, 0);
  return index < 0 || get_kind (writer, index) != STATEFUL;
}

/* What add_node () says of tensors, in its order, but for their kinds. */
static gboolean
link_tensors (Writer *writer, int index)
{
  const TpNodeOutline *node = &writer->outline->nodes[index];
  const TpNode *it = &writer->graph->nodes[index];
  gboolean is_known = TRUE;

  for (int i = 0; i < node->n_inputs; i++)
    is_known &= link_tensor (writer, node->inputs[i]);
  for (int i = 0; i < node->n_outputs; i++)
    is_known &= link_tensor (writer, node->outputs[i]);
  for (int i = 0; node->has_attrs && i < it->n_attrs; i++)
    if (it->attrs[i].kind == TP_ATTR_TENSOR)
      is_known &= link_tensor (writer, (int) it->attrs[i].i);
  return is_known;
}

/* @like: of nodes, found before. No other row begins with 0. */
static void
write_group (Writer *writer, const TpGroup *group, const int *like)
{
  gboolean is_known = TRUE;

  begin_row (writer);
  add_number (writer, 0);
  add_number (writer, group->n_nodes);
  for (int i = 0; i < group->n_nodes && is_known; i++)
    {
      add_number (writer, like[group->nodes[i]]);
      is_known = link_tensors (writer, group->nodes[i]);
    }
  if (!is_known)
    write_row (writer, group->nodes, group->n_nodes);
}

/* ---- rows met before ---------------------------------------------------- */

static guint
row_hash (gconstpointer data)
{
  const Row *row = data;

  return tp_bytes_hash (row->bytes, row->n);
}

static gboolean
row_equal (gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;

  return x->n == y->n && memcmp (x->bytes, y->bytes, x->n) == 0;
}

static void
writer_init (Writer *writer, const TpGraph *graph)
{
  *writer = (Writer){ .graph = graph, .outline = tp_graph_get_outline (graph) };
  writer->rows = tp_map_new (row_hash, row_equal, g_free, NULL);
  writer->kinds = tp_map_new (row_hash, row_equal, g_free, NULL);
  writer->row = g_string_new (NULL);
  writer->tensor_row = g_string_new (NULL);
  writer->told = tp_new0 (Told, graph->n_tensors + 1);
}

static void
writer_clear (Writer *writer)
{
  tp_map_free (writer->rows);
  tp_map_free (writer->kinds);
  if (writer->row != NULL)
    g_string_free (writer->row, TRUE);
  if (writer->tensor_row != NULL)
    g_string_free (writer->tensor_row, TRUE);
  g_free (writer->told);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Writer, writer_clear)

/* That of @rows with what was just written: new, with @index, if there is none. */
static const Row *
find_row (const Writer *writer, TpMap *rows, int index)
{
  const GString *text = writer->row;
  const Row asked = { text->str, text->len, index };
  Row *row = tp_map_lookup (rows, &asked);

  if (row != NULL)
    return row;
  row = tp_alloc (1, sizeof asked + text->len);
  *row = asked;
  row->bytes = memcpy (row + 1, text->str, text->len);
  tp_map_insert (rows, row, row);
  return row;
}

/* Multiplicative; who makes rows collide has them looked up in the map. */
static guint
hash_cheaply (const GString *row)
{
  guint64 sum = row->len;

  for (gsize at = 0; at < row->len; at += sizeof sum)
    {
      guint64 word = 0;

      memcpy (&word, row->str + at, MIN (row->len - at, sizeof word));
      sum = (sum ^ word) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
      sum ^= sum >> 32;
    }
  return (guint) sum % N_RECENT;
}

/* The first index with the row of nodes just written: most were met lately. */
static int
find_first (Writer *writer, int index)
{
  const GString *text = writer->row;
  const Row **recent = &writer->recent[hash_cheaply (text)];

  if (*recent == NULL || (*recent)->n != text->len
      || memcmp ((*recent)->bytes, text->str, text->len) != 0)
    *recent = find_row (writer, writer->rows, index);
  return (*recent)->first;
}

int *
tp_lower_find_like (const TpGraph *graph, const TpGroups *groups)
{
  int n_groups = groups != NULL ? groups->n_groups : 0;
  g_autofree int *like = tp_new (int, graph->n_nodes + n_groups + 1);
  g_auto (Writer) writer = { 0 };

  writer_init (&writer, graph);
  for (int i = 0; i < graph->n_nodes; i++)
    {
      write_row (&writer, &i, 1);
      like[i] = find_first (&writer, i);
    }
  for (int i = 0; i < n_groups; i++)
    {
      write_group (&writer, &groups->groups[i], like);
      like[graph->n_nodes + i] = find_first (&writer, graph->n_nodes + i);
    }
  return g_steal_pointer (&like);
}
