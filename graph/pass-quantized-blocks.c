/* pass-quantized-blocks.c: see pass-quantized-blocks.h.
 *
 *   MatMul (x, DequantizeLinear (w, scales, zeros, axis=0, block_size=32))
 *   MatMulNBits (x, packed w, scales, zeros)
 *
 * As reals, weights would be made anew in every run, and be read as 32 bits each: a
 * product of a row by them takes as long as that. Values that 4 bits hold are packed as
 * MatMulNBits has them: of a column one after another, from 0 on. Others stay as they
 * are. */
#include "config.h"

#include "graph/pass-quantized-blocks.h"

#include "graph/graph-draft-make.h"
#include "ir/graph-value.h"
#include "ir/guard.h"
#include "ops/op-util.h"
#include "ops/op.h"

#include <string.h>

#define BITS 4
#define PER_BYTE 2
#define COLUMNS 64            /* packed at a time, a cache line in each row */

enum { QUANTIZED, SCALES, ZEROS, N_INPUTS };

typedef struct
{
  TpDraft *draft;
  TpNode product;             /* the MatMul */
  TpNode made;                /* the DequantizeLinear */
  TpTensor w;                 /* [k, n], bytes; a copy: adding tensors moves them */
  gint64 k, n, block, n_blocks;
  int least;                  /* that its type has of so few bits; it becomes 0 */
} Blocks;

/* ---- matching ------------------------------------------------------------- */

static const TpTensor *
get_constant (const Blocks *self, int tensor)
{
  const TpTensor *it = tensor < 0 ? NULL : tp_draft_tensor (self->draft, tensor);

  return it != NULL && tp_tensor_is_constant (it) ? it : NULL;
}

static gboolean
is_plain (const TpNode *node, const char *type)
{
  return node->op != NULL && tp_node_is (node, type) && !tp_node_is_told (node);
}

static gboolean
match_product (Blocks *self, int index, const int *n_uses)
{
  const TpNode *node = tp_draft_node (self->draft, index);
  int w, producer;

  if (!is_plain (node, "MatMul"))
    return FALSE;
  w = node->inputs[1];
  producer = tp_draft_tensor (self->draft, w)->producer;
  if (n_uses[w] != 1 || producer < 0
      || !is_plain (tp_draft_node (self->draft, producer), "DequantizeLinear"))
    return FALSE;
  self->product = *node;
  self->made = *tp_draft_node (self->draft, producer);
  return TRUE;
}

/* Blocks along the columns, all of one size that MatMulNBits has, too. */
static gboolean
match_blocks (Blocks *self)
{
  const TpTensor *x = tp_draft_tensor (self->draft, self->product.inputs[0]);
  const TpTensor *scales = get_constant (self, self->made.inputs[SCALES]);
  const TpTensor *w = get_constant (self, self->made.inputs[QUANTIZED]);
  int axis = -1;

  self->block = tp_node_get_int (&self->made, "block_size", 0);
  if (w == NULL || w->init.kind != TP_INIT_DATA || w->rank != 2
      || scales == NULL || scales->rank != 2
      || scales->dtype != x->dtype || tp_dtype_get_size (x->dtype) > sizeof (float)
      || !tp_node_get_axis (&self->made, 1, 2, &axis, NULL) || axis != 0)
    return FALSE;
  self->w = *w;
  self->k = w->dims[0];
  self->n = w->dims[1];
  if (self->block < 16 || self->block > 1 << 20
      || (self->block & (self->block - 1)) != 0 || self->k % self->block != 0)
    return FALSE;
  self->n_blocks = self->k / self->block;
  return !tp_node_has_input (&self->made, ZEROS)
         || get_constant (self, self->made.inputs[ZEROS]) != NULL;
}

/* Those of 8 bits show in the first row, as a rule. */
static gboolean
match_values (Blocks *self)
{
  gboolean is_signed = self->w.dtype == TPLAN_DTYPE_INT8;
  const guint8 *bytes = self->w.init.data;
  int shift = is_signed ? 1 << (BITS - 1) : 0;
  guint8 all = 0;

  if (!is_signed && self->w.dtype != TPLAN_DTYPE_UINT8)
    return FALSE;
  for (gint64 row = 0; row < self->k; row++)
    {
      for (gint64 i = 0; i < self->n; i++)
        all |= (guint8) (bytes[row * self->n + i] + shift);
      if (all >= 1 << BITS)
        return FALSE;
    }
  self->least = -shift;
  return TRUE;
}

/* ---- what becomes of it --------------------------------------------------- */

/* Columns [@begin, @end), into rows of [n, blocks, bytes]. */
static void
pack_columns (const Blocks *self, gint64 begin, gint64 end, guint8 *out)
{
  const guint8 *bytes = self->w.init.data;
  gint64 row_bytes = self->k / PER_BYTE;

  for (gint64 k = 0; k < self->k; k++)
    for (gint64 n = begin; n < end; n++)
      {
        int code = (guint8) (bytes[k * self->n + n] - self->least);

        out[n * row_bytes + k / PER_BYTE]
            |= (guint8) (code << (int) (k % PER_BYTE) * BITS);
      }
}

static int
add_packed (Blocks *self, GError **error)
{
  TpDraft *draft = self->draft;
  TpTensor packed = { .producer = -1, .init.kind = TP_INIT_DATA };
  gint64 dims[]
      = { self->n, self->n_blocks, self->block / PER_BYTE };
  guint8 *data;

  tp_draft_set_shape (draft, &packed, TPLAN_DTYPE_UINT8, 3, dims);
  data = tp_region_alloc (draft->region, packed.size_bytes, 1, error);
  packed.name = data == NULL ? NULL
                             : tp_draft_make_tensor_name (draft, self->w.name,
                                                          ":packed", error);
  if (packed.name == NULL)
    return -1;
  memset (data, 0, packed.size_bytes);
  for (gint64 n = 0; n < self->n; n += COLUMNS)
    pack_columns (self, n, MIN (n + COLUMNS, self->n), data);
  packed.init.data = data;
  return tp_draft_add_tensor (draft, &packed);
}

/* Reals of [blocks, n] as [n, blocks], less @least; of no tensor all are 0. */
static int
add_turned (Blocks *self, int tensor, int least, const char *suffix,
            GError **error)
{
  const TpTensor *from = get_constant (self, tensor);
  const TpTensor *scales = get_constant (self, self->made.inputs[SCALES]);
  gint64 n_blocks = self->n_blocks;
  g_autofree double *values = tp_new0 (double, scales->count);
  g_autofree double *turned = tp_new (double, scales->count);
  TpTensor like = { .name = from == NULL ? self->w.name : from->name,
                    .dtype = scales->dtype, .rank = 2,
                    .dims = (gint64[]){ self->n, n_blocks } };

  if (from != NULL)
    tp_tensor_write_doubles (from, values);
  for (gint64 b = 0; b < n_blocks; b++)
    for (gint64 n = 0; n < self->n; n++)
      turned[n * n_blocks + b] = values[b * self->n + n] - least;
  return tp_draft_add_values (self->draft, &like, suffix, turned, error);
}

/* -1: there are none. */
static int
get_zeros (const Blocks *self)
{
  return tp_node_has_input (&self->made, ZEROS) ? self->made.inputs[ZEROS] : -1;
}

/* Whether all are in the middle of what 4 bits hold, where MatMulNBits has them unless
 * it is told, and computes less. */
static gboolean
is_centred (const Blocks *self)
{
  const TpTensor *zeros = get_constant (self, get_zeros (self));
  g_autofree double *values = tp_new0 (double, zeros ? zeros->count : 1);

  if (self->least == 0)
    return FALSE;
  if (zeros != NULL)
    tp_tensor_write_doubles (zeros, values);
  for (gint64 i = 0; zeros != NULL && i < zeros->count; i++)
    if (values[i] != 0.0)
      return FALSE;
  return TRUE;
}

static gboolean
add_inputs (Blocks *self, int n, int *inputs, GError **error)
{
  inputs[0] = self->product.inputs[0];
  inputs[1] = add_packed (self, error);
  if (inputs[1] < 0)
    return FALSE;
  inputs[2] = add_turned (self, self->made.inputs[SCALES], 0, ":turned", error);
  if (inputs[2] < 0 || n == N_INPUTS)
    return inputs[2] >= 0;
  inputs[3] = add_turned (self, get_zeros (self), self->least, ":zeros", error);
  return inputs[3] >= 0;
}

static gboolean
replace (Blocks *self, int index, GError **error)
{
  TpRegion *region = self->draft->region;
  const TpAttr attrs[] = {
    { .name = "K", .kind = TP_ATTR_INT, .i = self->k },
    { .name = "N", .kind = TP_ATTR_INT, .i = self->n },
    { .name = "bits", .kind = TP_ATTR_INT, .i = BITS },
    { .name = "block_size", .kind = TP_ATTR_INT, .i = self->block },
  };
  TpNode *node = &self->product;
  int n = is_centred (self) ? N_INPUTS : N_INPUTS + 1;
  int *inputs = tp_region_alloc (region, n, sizeof *inputs, error);

  if (inputs == NULL || !add_inputs (self, n, inputs, error))
    return FALSE;
  node->type = "MatMulNBits";
  node->op = tp_op_find (node->type);
  node->inputs = inputs;
  node->n_inputs = n;
  node->n_attrs = G_N_ELEMENTS (attrs);
  node->attrs = tp_region_dup (region, attrs, G_N_ELEMENTS (attrs),
                               sizeof *attrs, error);
  if (node->attrs == NULL)
    return FALSE;
  *tp_draft_node (self->draft, index) = *node;
  return TRUE;
}

gboolean
tp_pass_quantized_pack_blocks (TpDraft *draft, GError **error)
{
  g_autofree int *n_uses = tp_new0 (int, draft->tensors->len + 1);
  guint n_nodes = draft->nodes->len;

  tp_draft_count_uses (draft, n_uses);
  for (guint i = 0; i < n_nodes; i++)
    {
      Blocks blocks = { .draft = draft };

      if (match_product (&blocks, (int) i, n_uses) && match_blocks (&blocks)
          && match_values (&blocks) && !replace (&blocks, (int) i, error))
        return FALSE;
    }
  return TRUE;
}
