/* like.c: see like.h.
 *
 * Large graphs are made of few kinds of nodes. All that lowering looks at is
 * written down as a row of words; nodes with equal rows are alike. So are tensors, of
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

/* What is written down of nodes. In words, so that each is read as it was written: a
 * processor waits where it reads at once what it wrote in pieces. */
typedef struct
{
  guint64 *words;
  gsize n, n_room;
} Text;

/* One that was met; its words lie behind it. */
typedef struct
{
  const guint64 *words;
  gsize n;
  int first;                  /* index with it */
} Row;

typedef struct
{
  const TpGraph *graph;
  const TpOutline *outline;   /* of it */
  TpMap *rows;                /* set of Row */
  const Row *recent[N_RECENT]; /* of @rows, by a cheap hash; NULL: none */
  Text node_row, tensor_row;  /* the second is written amid the first */
  Text *row;                  /* the one being written */
  Told *told;                 /* [tensor] */
  int n_rows;
  int n_tensors;              /* described in this row */
  TpMap *kinds;               /* likewise: rows of tensors */
  int lately[N_LATELY];       /* 1 + plain tensors, each of another kind; 0: none */
  guint n_lately;             /* that there were */
} Writer;

static void G_GNUC_NO_INLINE
text_grow (Text *text, gsize n_more)
{
  text->n_room = MAX (2 * text->n_room, text->n + n_more);
  text->words = tp_renew (guint64, text->words, text->n_room);
}

static inline void
add_number (Writer *writer, guint64 value)
{
  Text *row = writer->row;

  if (row->n == row->n_room)
    text_grow (row, 64);
  row->words[row->n++] = value;
}

/* How many there are is written before. */
static void
add_bytes (Writer *writer, const void *bytes, gsize n)
{
  Text *row = writer->row;
  gsize n_words = (n + sizeof (guint64) - 1) / sizeof (guint64);

  if (n == 0)
    return;
  if (row->n_room - row->n < n_words)
    text_grow (row, n_words);
  row->words[row->n + n_words - 1] = 0;
  memcpy (&row->words[row->n], bytes, n);
  row->n += n_words;
}

static void
add_string (Writer *writer, const char *text)
{
  gsize n = text == NULL ? 0 : strlen (text);

  add_number (writer, text == NULL ? 0 : n + 1);
  add_bytes (writer, text, n);
}

static void
add_real (Writer *writer, double value)
{
  add_bytes (writer, &value, sizeof value);
}

static void
add_value (Writer *writer, const TpTensor *tensor)
{
  gboolean is_integer = tp_dtype_is_integer (tensor->dtype);
  guint64 value[MAX_INTEGERS];  /* no type is wider */
  gboolean is_short = tensor->count <= (is_integer ? MAX_INTEGERS : MAX_REALS);

  add_number (writer, is_short);
  if (is_short)
    {
      tp_tensor_write_value (tensor, value);
      add_bytes (writer, value, (gsize) tensor->size_bytes);
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
  int first;

  writer->row = &writer->tensor_row;
  writer->row->n = 0;
  describe_tensor (writer, &writer->graph->tensors[index]);
  first = find_row (writer, writer->kinds, index)->first;
  writer->row = &writer->node_row;
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

  add_number (writer, GPOINTER_TO_SIZE (node->op));
  if (node->op == NULL)
    add_string (writer, writer->graph->nodes[index].type);
  else if (node->op->flags & TP_OP_NAMED)
    add_string (writer, writer->graph->nodes[index].name);
  add_number (writer, 4 * (guint64) node->opset + 2 * (node->has_small_sums != 0)
                          + (node->has_attrs != 0));
  add_number (writer, (guint64) node->n_inputs << 32 | node->n_outputs);
  for (int i = 0; i < node->n_inputs; i++)
    add_tensor (writer, node->inputs[i]);
  for (int i = 0; i < node->n_outputs; i++)
    add_tensor (writer, node->outputs[i]);
  if (node->has_attrs)
    add_attrs (writer, &writer->graph->nodes[index]);
}

static void
begin_row (Writer *writer)
{
  writer->row->n = 0;
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

  return tp_bytes_hash (row->words, row->n * sizeof row->words[0]);
}

static inline gboolean
is_row (const Row *row, const guint64 *words, gsize n)
{
  gsize i = 0;

  while (row->n == n && i < n && row->words[i] == words[i])
    i++;
  return row->n == n && i == n;
}

static gboolean
row_equal (gconstpointer a, gconstpointer b)
{
  const Row *asked = b;

  return is_row (a, asked->words, asked->n);
}

static void
writer_init (Writer *writer, const TpGraph *graph)
{
  *writer = (Writer){ .graph = graph, .outline = tp_graph_get_outline (graph) };
  writer->rows = tp_map_new (row_hash, row_equal, g_free, NULL);
  writer->kinds = tp_map_new (row_hash, row_equal, g_free, NULL);
  writer->row = &writer->node_row;
  writer->told = tp_new0 (Told, graph->n_tensors + 1);
}

static void
writer_clear (Writer *writer)
{
  tp_map_free (writer->rows);
  tp_map_free (writer->kinds);
  g_free (writer->node_row.words);
  g_free (writer->tensor_row.words);
  g_free (writer->told);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Writer, writer_clear)

/* That of @rows with what was just written: new, with @index, if there is none. */
static const Row *
find_row (const Writer *writer, TpMap *rows, int index)
{
  const Text *text = writer->row;
  const Row asked = { text->words, text->n, index };
  gsize n_bytes = text->n * sizeof text->words[0];
  Row *row = tp_map_lookup (rows, &asked);

  if (row != NULL)
    return row;
  row = tp_alloc (1, sizeof asked + n_bytes);
  *row = asked;
  row->words = memcpy (row + 1, text->words, n_bytes);
  tp_map_insert (rows, row, row);
  return row;
}

/* By products that do not wait for each other; who makes rows collide has them looked up
 * in the map. */
static guint
hash_cheaply (const Text *row)
{
  guint64 sum = row->n, factor = 1;

  for (gsize i = 0; i < row->n; i++)
    {
      factor += G_GUINT64_CONSTANT (0x9e3779b97f4a7c16);
      sum += row->words[i] * factor;
    }
  sum = (sum ^ sum >> 32) * factor;
  return (guint) (sum >> 32) % N_RECENT;
}

/* The first index with the row of nodes just written: most were met lately. */
static int
find_first (Writer *writer, int index)
{
  const Text *text = writer->row;
  const Row **recent = &writer->recent[hash_cheaply (text)];

  if (*recent == NULL || !is_row (*recent, text->words, text->n))
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
