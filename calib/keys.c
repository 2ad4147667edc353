/* keys.c: see keys.h.
 *
 * The canonical text of lowered nodes says all that a kernel is made from; with
 * the device and the codegen sources it determines the machine code. So figures
 * are shared between layers, networks and files, and never between kernels that
 * differ. */
#include "config.h"

#include "calib/keys.h"

#include "ir/guard.h"
#include "ir/map.h"
#include "nest/nest-text.h"
#include "nest/nest-work.h"
#include "ops/like.h"
#include "ops/lower.h"
#include "runtime/device.h"
#include "runtime/devices.h"

#include <string.h>

/* What is found out of a key. */
typedef enum
{
  NAME,                       /* what tells it from others, and whether it can be run */
  DESCRIBE,                   /* and family, label and work */
  LOWER,                      /* and what it is lowered to */
} Depth;

/* The computation without its sizes: how many axes, loads, guards, which
 * arithmetic. Kernels of one family are built by one schedule. */
static char *
describe_family (const TpLowered *lowered)
{
  GString *text = g_string_new (NULL);

  for (int i = 0; i < lowered->n_nests; i++)
    {
      const TpNest *nest = lowered->nests[i];
      int n_reduce = 0;

      for (int j = 0; j < nest->n_axes; j++)
        n_reduce += nest->axes[j].is_reduce;
      g_string_append_printf (text, "%ss%dr%d", i > 0 ? " " : "",
                              nest->n_axes - n_reduce, n_reduce);
      for (int j = 0; j < nest->n_loads; j++)
        g_string_append_printf (text, ".%d", nest->loads[j].n_guards);
      g_string_append_c (text, '/');
      for (int j = 0; j < nest->n_stages; j++)
        g_string_append_printf (text, "%d", (int) nest->stages[j].combiner);
      g_string_append_c (text, '/');
      for (int j = 0; j < nest->n_exprs; j++)
        g_string_append_c (text, (char) ('A' + nest->exprs[j].op));
    }
  return g_string_free (text, FALSE);
}

static const TpTensor *
find_output (const TpGraph *graph, const TpKey *key)
{
  const TpNode *last = &graph->nodes[key->nodes[key->n_nodes - 1]];

  return &graph->tensors[last->outputs[0]];
}

static char *
describe_label (const TpGraph *graph, const TpKey *key)
{
  GString *text = g_string_new (NULL);
  const TpTensor *output = find_output (graph, key);

  for (int i = 0; i < key->n_nodes; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "+" : "",
                            graph->nodes[key->nodes[i]].type);
  for (int i = 0; i < output->rank; i++)
    g_string_append_printf (text, "%c%" G_GINT64_FORMAT, i > 0 ? 'x' : ' ',
                            output->dims[i]);
  return g_string_free (text, FALSE);
}

static void
add_tensor_text (GString *text, const TpGraph *graph, int index)
{
  const TpTensor *tensor = index >= 0 ? &graph->tensors[index] : NULL;

  g_string_append_printf (text, " %s",
                          tensor != NULL ? tp_dtype_get_name (tensor->dtype)
                                         : "-");
  for (int i = 0; tensor != NULL && i < tensor->rank; i++)
    g_string_append_printf (text, ",%" G_GINT64_FORMAT, tensor->dims[i]);
}

/* Names a node that only `ref` can run: by type, attributes and shapes. */
static char *
describe_reference (const TpGraph *graph, const TpNode *node)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "reference %s", node->type);
  for (int i = 0; i < node->n_attrs; i++)
    {
      const TpAttr *attr = &node->attrs[i];
      char digits[G_ASCII_DTOSTR_BUF_SIZE];

      g_ascii_formatd (digits, sizeof digits, "%g", attr->f);
      g_string_append_printf (text, " %s=%d,%" G_GINT64_FORMAT ",%s,%s",
                              attr->name, (int) attr->kind,
                              attr->kind == TP_ATTR_TENSOR ? 0 : attr->i,
                              digits, attr->s != NULL ? attr->s : "");
      for (int j = 0; attr->kind == TP_ATTR_INTS && j < attr->n; j++)
        g_string_append_printf (text, ",%" G_GINT64_FORMAT, attr->ints[j]);
    }
  for (int i = 0; i < node->n_inputs; i++)
    add_tensor_text (text, graph, node->inputs[i]);
  g_string_append (text, " ->");
  for (int i = 0; i < node->n_outputs; i++)
    add_tensor_text (text, graph, node->outputs[i]);
  return g_string_free (text, FALSE);
}

static void
work_of_reference (const TpGraph *graph, const TpNode *node, TpWork *work)
{
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0)
      work->read_bytes += graph->tensors[node->inputs[i]].size_bytes;
  for (int i = 0; i < node->n_outputs; i++)
    work->written_bytes += graph->tensors[node->outputs[i]].size_bytes;
  work->n_points = graph->tensors[node->outputs[0]].count;
  work->flops = work->n_points;
}

/* @lowered: NULL: only `ref` runs it. */
static void
describe (TpKey *key, const TpGraph *graph, const TpLowered *lowered)
{
  const TpNode *node = &graph->nodes[key->nodes[0]];

  if (lowered != NULL)
    {
      key->family = describe_family (lowered);
      tp_lowered_count_work (lowered, &key->work);
      return;
    }
  key->family = g_strdup_printf ("reference %s", node->type);
  work_of_reference (graph, node, &key->work);
}

static void
key_lower (TpKey *key, const TpGraph *graph, Depth depth)
{
  const TpNode *node = &graph->nodes[key->nodes[0]];
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (TpLowered) lowered = tp_lower_nodes (graph, key->nodes,
                                                  key->n_nodes, &error);

  if (lowered != NULL)
    {
      key->is_lowerable = TRUE;
      text = tp_lowered_to_text (lowered);
    }
  else
    {
      key->reason = g_intern_string (error->message);
      text = describe_reference (graph, node);
    }
  key->digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  if (depth != NAME)
    describe (key, graph, lowered);
  if (depth == LOWER)
    key->lowered = g_steal_pointer (&lowered);
}

/* What @like is made of, @key is too. */
static void
key_copy (TpKey *key, const TpKey *like)
{
  int n_nodes = key->n_nodes;
  const int *nodes = key->nodes;

  *key = *like;
  key->n_nodes = n_nodes;
  key->nodes = nodes;
  key->digest = g_strdup (like->digest);
  key->family = g_strdup (like->family);
  key->label = g_strdup (like->label);
}

/* Of a group that no rule makes: no kernel is made of it. */
static void
key_init_claimed (TpKey *key, const TpGraph *graph, Depth depth)
{
  key->label = depth == NAME ? NULL : describe_label (graph, key);
  key->dtype = tp_dtype_get_name (find_output (graph, key)->dtype);
  key->reason = g_intern_static_string (TP_COSTS_CLAIMED_ELSEWHERE);
}

static void
key_init (TpKey *key, const TpGraph *graph, Depth depth)
{
  const TpNode *node = &graph->nodes[key->nodes[0]];
  gboolean is_one = key->n_nodes == 1;

  key->label = depth == NAME ? NULL : describe_label (graph, key);
  key->dtype = tp_dtype_get_name (find_output (graph, key)->dtype);
  key->is_opaque = is_one
                   && (node->op == NULL || node->op->kind == TP_OP_OPAQUE);
  key->is_free = is_one && !key->is_opaque && node->op->kind == TP_OP_VIEW;
  key->has_reference = is_one && !key->is_opaque
                       && node->op->reference != NULL;
  if (!key->is_opaque && !key->is_free)
    key_lower (key, graph, depth);
}

TpKeys *
tp_keys_new (const TpGraph *graph, const TpGroups *groups,
             gboolean keep_lowered)
{
  g_autoptr (TpKeys) keys = g_new0 (TpKeys, 1);
  g_autofree int *like
      = keep_lowered ? NULL : tp_lower_find_like (graph, groups);
  int n_groups = groups != NULL ? groups->n_groups : 0;

  keys->keys = tp_new0 (TpKey, graph->n_nodes + n_groups + 1);
  keys->n_nodes = graph->n_nodes;
  keys->n = graph->n_nodes + n_groups;
  keys->indices = tp_new (int, graph->n_nodes + 1);
  for (int i = 0; i < graph->n_nodes; i++)
    {
      keys->indices[i] = i;
      keys->keys[i].n_nodes = 1;
      keys->keys[i].nodes = &keys->indices[i];
    }
  for (int i = 0; i < n_groups; i++)
    {
      keys->keys[graph->n_nodes + i].n_nodes = groups->groups[i].n_nodes;
      keys->keys[graph->n_nodes + i].nodes = groups->groups[i].nodes;
      keys->keys[graph->n_nodes + i].is_second = groups->groups[i].is_second;
    }
  for (int i = 0; i < keys->n; i++)
    {
      /* a reason names its op */
      const TpKey *first = like == NULL ? NULL : &keys->keys[like[i]];

      if (i >= graph->n_nodes && groups->groups[i - graph->n_nodes].is_claimed)
        key_init_claimed (&keys->keys[i], graph, DESCRIBE);
      else if (first != NULL && like[i] < i && first->is_lowerable)
        key_copy (&keys->keys[i], first);
      else
        key_init (&keys->keys[i], graph, keep_lowered ? LOWER : DESCRIBE);
    }
  return g_steal_pointer (&keys);
}

static void
key_clear (TpKey *key)
{
  tp_lowered_free (key->lowered);
  g_free (key->digest);
  g_free (key->family);
  g_free (key->label);
}

void
tp_keys_free (TpKeys *keys)
{
  if (keys == NULL)
    return;
  for (int i = 0; i < keys->n; i++)
    key_clear (&keys->keys[i]);
  g_free (keys->keys);
  g_free (keys->indices);
  g_free (keys);
}

/* ---- names ---------------------------------------------------------------- */

void
tp_names_free (TpNames *names)
{
  if (names == NULL)
    return;
  for (guint i = 0; names->keys != NULL && i < names->keys->len; i++)
    key_clear (&tp_array_index (names->keys, TpKey, i));
  tp_array_unref (names->keys);
  g_free (names->key_of);
  g_free (names);
}

static void
names_add (TpNames *names, const TpGraph *graph, const TpGroup *row)
{
  TpKey *key;

  tp_array_set_size (names->keys, names->keys->len + 1);
  key = &tp_array_index (names->keys, TpKey, names->keys->len - 1);
  key->n_nodes = row->n_nodes;
  key->nodes = row->nodes;
  if (row->is_claimed)
    key_init_claimed (key, graph, NAME);
  else
    key_init (key, graph, NAME);
  key->nodes = NULL;
}

TpNames *
tp_names_new (const TpGraph *graph, const TpGroups *groups)
{
  g_autofree int *like = tp_lower_find_like (graph, groups);
  int n_groups = groups != NULL ? groups->n_groups : 0;
  g_autoptr (TpNames) names = g_new0 (TpNames, 1);

  names->n = graph->n_nodes + n_groups;
  names->key_of = tp_new (int, names->n + 1);
  names->keys = tp_array_new (sizeof (TpKey));
  for (int i = 0; i < names->n; i++)
    {
      TpGroup row = { .n_nodes = 1, .nodes = &i };

      if (i >= graph->n_nodes)
        row = groups->groups[i - graph->n_nodes];
      if (like[i] < i && !row.is_claimed)
        names->key_of[i] = names->key_of[like[i]];
      /* a reason names its op */
      if (like[i] < i && !row.is_claimed
          && tp_names_get (names, i)->reason == NULL)
        continue;
      names->key_of[i] = names->keys->len;
      names_add (names, graph, &row);
    }
  return g_steal_pointer (&names);
}

const TpKey *
tp_names_get (const TpNames *names, int row)
{
  return &tp_array_index (names->keys, TpKey, names->key_of[row]);
}

int *
tp_names_number_kernels (const TpNames *names)
{
  g_autoptr (TpMap) numbers
      = tp_map_new (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree int *number_of = tp_new0 (int, names->keys->len + 1);
  g_autofree int *kernels = tp_new0 (int, names->n + 1);

  for (int i = 0; i < names->n; i++)
    {
      int *number = &number_of[names->key_of[i]];
      const TpKey *key = tp_names_get (names, i);

      if (*number == 0 && key->digest != NULL)
        {
          g_autofree char *name
              = g_strconcat (key->digest, " ", key->dtype, NULL);

          *number = GPOINTER_TO_INT (tp_map_lookup (numbers, name));
          if (*number == 0)
            {
              *number = i + 1;
              tp_map_insert (numbers, g_steal_pointer (&name),
                             GINT_TO_POINTER (*number));
            }
        }
      kernels[i] = *number;
    }
  return g_steal_pointer (&kernels);
}

/* ---- questions ------------------------------------------------------------ */

char *
tp_keys_find_network (const TpKeys *keys)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  for (int i = 0; i < keys->n_nodes; i++)
    {
      const TpKey *key = &keys->keys[i];
      g_autofree char *line
          = g_strdup_printf ("%s %s\n", key->digest == NULL ? "-" : key->digest,
                             key->dtype);

      g_checksum_update (sum, (const guchar *) line, -1);
    }
  return g_strdup (g_checksum_get_string (sum));
}

gboolean
tp_key_is_runnable (const TpKey *key, const char *device,
                    const char **out_reason)
{
  const TpDeviceOps *kind = tp_device_find_kind (device, NULL);
  gboolean runs_nodes = kind != NULL && kind->runs_nodes;

  if (key->is_opaque)
    *out_reason = g_intern_static_string ("the graph gives no cost for it");
  else if (runs_nodes && !key->is_free && !key->has_reference)
    *out_reason = g_intern_static_string ("the references run ops one by one");
  else if (!runs_nodes && !key->is_free && !key->is_lowerable)
    *out_reason = key->reason;
  else
    return TRUE;
  return FALSE;
}
