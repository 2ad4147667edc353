/* transformer-networks.c: BERT, GPT-2 and ViT, op by op as PyTorch exports them:
 * BERT with the op LayerNormalization, GPT-2 and ViT with what older exporters
 * write for it; each has its own way to split heads. */
#include "config.h"

#include "net.h"

#include <math.h>

typedef struct
{
  int n_layers, width, n_heads, inner; /* inner: of the feed-forward part */
  int length;                          /* tokens, or patches and the class */
  int vocabulary;                      /* or the number of classes */
} Size;

/* ---- what they share ---------------------------------------------------- */

static Value
layer_norm (Net *net, Value x, const char *epsilon)
{
  Value scale = net_filled (net, x.channels, "1");
  Value bias = net_weight (net, 0.05, 1, x.channels);
  g_autofree char *attrs
      = g_strdup_printf ("\"axis\": -1, \"epsilon\": %s", epsilon);

  return net_op (net, "LayerNormalization", attrs, x.channels, x.name,
                 scale.name, bias.name, NULL);
}

/* The same before opset 17. */
static Value
layer_norm_in_parts (Net *net, Value x, const char *epsilon)
{
  static const char axes[] = "\"axes\": [-1]";
  Value scale = net_filled (net, x.channels, "1");
  Value bias = net_weight (net, 0.05, 1, x.channels);
  Value centred
      = net_binary (net, "Sub", x, net_unary (net, "ReduceMean", x, axes));
  Value variance = net_binary (net, "Pow", centred, net_number (net, "2.0"));

  variance = net_unary (net, "ReduceMean", variance, axes);
  variance = net_binary (net, "Add", variance, net_number (net, epsilon));
  x = net_binary (net, "Div", centred, net_unary (net, "Sqrt", variance, ""));
  return net_binary (net, "Add", net_binary (net, "Mul", x, scale), bias);
}

/* x (1 + erf (x / sqrt 2)) / 2 */
static Value
gelu (Net *net, Value x)
{
  Value y = net_binary (net, "Div", x, net_number (net, "1.41421356"));

  y = net_unary (net, "Erf", y, "");
  y = net_binary (net, "Add", y, net_number (net, "1.0"));
  y = net_binary (net, "Mul", x, y);
  return net_binary (net, "Mul", y, net_number (net, "0.5"));
}

/* x (1 + tanh (sqrt (2 / pi) (x + 0.044715 x^3))) / 2 */
static Value
gelu_tanh (Net *net, Value x)
{
  Value half = net_binary (net, "Mul", x, net_number (net, "0.5"));
  Value y = net_binary (net, "Pow", x, net_number (net, "3.0"));

  y = net_binary (net, "Mul", y, net_number (net, "0.044715"));
  y = net_binary (net, "Add", x, y);
  y = net_binary (net, "Mul", y, net_number (net, "0.797884583"));
  y = net_unary (net, "Tanh", y, "");
  y = net_binary (net, "Add", y, net_number (net, "1.0"));
  return net_binary (net, "Mul", half, y);
}

/* From [N, S, width] to [N, heads, S, depth], or as @perm says. */
static Value
split_heads (Net *net, Value x, const Size *size, const char *perm)
{
  int depth = size->width / size->n_heads;
  g_autofree char *dims
      = g_strdup_printf ("0, 0, %d, %d", size->n_heads, depth);

  return net_transpose (net, net_reshape (net, x, dims, depth), perm, depth);
}

static Value
join_heads (Net *net, Value x, const Size *size)
{
  g_autofree char *dims = g_strdup_printf ("0, 0, %d", size->width);

  x = net_transpose (net, x, "0, 2, 1, 3", x.channels);
  return net_reshape (net, x, dims, size->width);
}

static const char *
root_of_depth (const Size *size, char text[16])
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (number, sizeof number, "%.7f",
                   sqrt ((double) size->width / size->n_heads));
  g_strlcpy (text, number, 16);
  return text;
}

/* ---- BERT (Devlin et al. 2018) ------------------------------------------ */

/* 0 where a token counts, -10000 where not; [N, 1, 1, S]. */
static Value
extend_mask (Net *net)
{
  Value mask = net_op (net, "Unsqueeze", "", 0, "attention_mask",
                       net_ints (net, "1").name, NULL);

  mask = net_op (net, "Unsqueeze", "", 0, mask.name, net_ints (net, "2").name,
                 NULL);
  mask = net_unary (net, "Cast", mask, "\"to\": 1");
  mask = net_binary (net, "Sub", net_number (net, "1.0"), mask);
  return net_binary (net, "Mul", mask, net_number (net, "-10000.0"));
}

static void
add_position_ids (Net *net, int length)
{
  g_autoptr (GString) data = g_string_new ("\"data\": [");
  g_autofree char *shape = g_strdup_printf ("1, %d", length);

  for (int i = 0; i < length; i++)
    g_string_append_printf (data, "%s%d", i ? ", " : "", i);
  g_string_append_c (data, ']');
  net_add_constant (net, "position_ids", "int64", shape, data->str);
}

static Value
bert_embed (Net *net, Value ids, const Size *size)
{
  Value words = net_weight (net, 1, 2, size->vocabulary, size->width);
  Value places = net_weight (net, 0.5, 2, 512, size->width);
  Value types = net_weight (net, 0.5, 2, 2, size->width);
  Value x, y;

  add_position_ids (net, size->length);
  x = net_op (net, "Gather", "", size->width, words.name, ids.name, NULL);
  y = net_op (net, "Gather", "", size->width, types.name, "token_type_ids",
              NULL);
  x = net_binary (net, "Add", x, y);
  y = net_op (net, "Gather", "", size->width, places.name, "position_ids",
              NULL);
  return layer_norm (net, net_binary (net, "Add", x, y), "1e-12");
}

static Value
bert_attention (Net *net, Value x, Value mask, const Size *size)
{
  Value q = net_dense (net, x, size->width, 1);
  Value k = net_dense (net, x, size->width, 1);
  Value v = net_dense (net, x, size->width, 1);
  char root[16];
  Value scores;

  k = split_heads (net, k, size, "0, 2, 3, 1");
  v = split_heads (net, v, size, "0, 2, 1, 3");
  q = split_heads (net, q, size, "0, 2, 1, 3");
  scores = net_binary (net, "MatMul", q, k);
  scores = net_binary (net, "Div", scores,
                       net_number (net, root_of_depth (size, root)));
  scores = net_binary (net, "Add", scores, mask);
  scores = net_unary (net, "Softmax", scores, "\"axis\": 3");
  x = net_op (net, "MatMul", "", v.channels, scores.name, v.name, NULL);
  return net_dense (net, join_heads (net, x, size), size->width, 1);
}

static Value
bert (Net *net, Value ids, const Size *size)
{
  Value mask = extend_mask (net);
  Value x = bert_embed (net, ids, size), y;

  for (int i = 0; i < size->n_layers; i++)
    {
      y = bert_attention (net, x, mask, size);
      x = layer_norm (net, net_binary (net, "Add", y, x), "1e-12");
      y = gelu (net, net_dense (net, x, size->inner, 1));
      y = net_dense (net, y, size->width, 2);
      x = layer_norm (net, net_binary (net, "Add", y, x), "1e-12");
    }
  net_add_output (net, x);
  x = net_op (net, "Gather", "\"axis\": 1", x.channels, x.name,
              net_int (net, "0").name, NULL);
  return net_unary (net, "Tanh", net_linear (net, x, size->width), "");
}

static Value
bert_base (Net *net, Value ids)
{
  return bert (net, ids, &(Size){ 12, 768, 12, 3072, 128, 30522 });
}

static Value
bert_mini (Net *net, Value ids)
{
  return bert (net, ids, &(Size){ 4, 256, 4, 1024, 128, 30522 });
}

/* ---- GPT-2 (Radford et al. 2019) ----------------------------------------- */

#define GPT2_LENGTH 64
#define GPT2_END "64"

/* The layer Conv1D of the original: Gemm between two Reshapes. */
static Value
gpt2_dense (Net *net, Value x, int out, double gain)
{
  Value weight = net_weight (net, sqrt (gain / x.channels), 2, x.channels, out);
  Value bias = net_weight (net, 0.05, 1, out);
  g_autofree char *flat = g_strdup_printf ("-1, %d", x.channels);
  g_autofree char *full = g_strdup_printf ("-1, %d, %d", GPT2_LENGTH, out);

  x = net_reshape (net, x, flat, x.channels);
  x = net_op (net, "Gemm", "", out, x.name, weight.name, bias.name, NULL);
  return net_reshape (net, x, full, out);
}

/* Which scores count: those of tokens up to one's own. */
static void
add_causal_mask (Net *net, int length)
{
  g_autoptr (GString) data = g_string_new ("\"data\": [");
  g_autofree char *shape = g_strdup_printf ("1, 1, %d, %d", length, length);

  for (int i = 0; i < length * length; i++)
    g_string_append_printf (data, "%s%s", i ? ", " : "",
                            i % length <= i / length ? "true" : "false");
  g_string_append_c (data, ']');
  net_add_constant (net, "causal", "bool", shape, data->str);
}

static Value
gpt2_attention (Net *net, Value x, const Size *size, double gain)
{
  Value qkv = gpt2_dense (net, x, 3 * size->width, 1);
  g_autofree char *inputs = NULL;
  g_autofree char *parts = g_strdup_printf ("%d, %d, %d", size->width,
                                            size->width, size->width);
  char root[16];
  Value q, k, v, scores;

  inputs = g_strdup_printf ("\"%s\", \"%s\"", qkv.name,
                            net_ints (net, parts).name);
  q = net_op_json (net, "Split", "\"axis\": 2", size->width, inputs, 3);
  k = split_heads (net, net_get_output (q, 1, size->width), size,
                   "0, 2, 3, 1");
  v = split_heads (net, net_get_output (q, 2, size->width), size,
                   "0, 2, 1, 3");
  q = split_heads (net, q, size, "0, 2, 1, 3");
  scores = net_binary (net, "MatMul", q, k);
  scores = net_binary (net, "Div", scores,
                       net_number (net, root_of_depth (size, root)));
  scores = net_op (net, "Where", "", 0, "causal", scores.name,
                   net_number (net, "-10000.0").name, NULL);
  scores = net_unary (net, "Softmax", scores, "\"axis\": -1");
  x = net_op (net, "MatMul", "", v.channels, scores.name, v.name, NULL);
  return gpt2_dense (net, join_heads (net, x, size), size->width, gain);
}

/* Residual branches are scaled down with depth, as in the paper. */
static Value
gpt2 (Net *net, Value ids, const Size *size)
{
  Value words = net_weight (net, 0.05, 2, size->vocabulary, size->width);
  Value places = net_weight (net, 0.05, 2, 1024, size->width);
  double gain = 0.5 / size->n_layers;
  Value x, y;

  add_causal_mask (net, size->length);
  x = net_op (net, "Gather", "", size->width, words.name, ids.name, NULL);
  y = net_op (net, "Slice", "", size->width, places.name,
              net_ints (net, "0").name, net_ints (net, GPT2_END).name,
              net_ints (net, "0").name, NULL);
  x = net_binary (net, "Add", x, y);
  for (int i = 0; i < size->n_layers; i++)
    {
      y = layer_norm_in_parts (net, x, "1e-05");
      x = net_binary (net, "Add", x, gpt2_attention (net, y, size, gain));
      y = gpt2_dense (net, layer_norm_in_parts (net, x, "1e-05"), size->inner,
                      1);
      y = gpt2_dense (net, gelu_tanh (net, y), size->width, 2 * gain);
      x = net_binary (net, "Add", x, y);
    }
  x = layer_norm_in_parts (net, x, "1e-05");
  y = net_transpose (net, words, "1, 0", size->vocabulary); /* tied */
  return net_op (net, "MatMul", "", size->vocabulary, x.name, y.name, NULL);
}

static Value
gpt2_small (Net *net, Value ids)
{
  return gpt2 (net, ids, &(Size){ 12, 768, 12, 3072, GPT2_LENGTH, 50257 });
}

static Value
gpt2_mini (Net *net, Value ids)
{
  return gpt2 (net, ids, &(Size){ 2, 128, 4, 512, GPT2_LENGTH, 5000 });
}

/* ---- ViT (Dosovitskiy et al. 2020) --------------------------------------- */

/* Patches of 16 x 16 to [N, 1 + 14 * 14, width], the class first. */
static Value
vit_embed (Net *net, Value image, const Size *size)
{
  int width = size->width;
  Value weight = net_weight (net, sqrt (1.0 / 768), 4, width, 3, 16, 16);
  Value bias = net_weight (net, 0.05, 1, width);
  Value class = net_weight (net, 1, 3, 1, 1, width);
  Value places = net_weight (net, 0.5, 3, 1, size->length, width);
  Value x = net_op (net, "Conv", "\"strides\": [16, 16]", width, image.name,
                    weight.name, bias.name, NULL);
  g_autofree char *dims = g_strdup_printf ("0, %d, -1", width);
  Value n = net_unary (net, "Shape", x, "");

  n = net_op (net, "Gather", "", 0, n.name, net_ints (net, "0").name, NULL);
  n = net_op (net, "Concat", "\"axis\": 0", 0, n.name,
              net_ints (net, "1").name, net_ints (net, "1").name, NULL);
  class = net_op (net, "Expand", "", width, class.name, n.name, NULL);
  x = net_transpose (net, net_reshape (net, x, dims, 0), "0, 2, 1", width);
  x = net_op (net, "Concat", "\"axis\": 1", width, class.name, x.name, NULL);
  return net_binary (net, "Add", x, places);
}

/* Query, key or value out of [3, N, heads, S, depth]. */
static Value
vit_pick (Net *net, Value qkv, const char *which)
{
  return net_op (net, "Gather", "\"axis\": 0", qkv.channels, qkv.name,
                 net_int (net, which).name, NULL);
}

static Value
vit_attention (Net *net, Value x, const Size *size, double gain)
{
  int depth = size->width / size->n_heads;
  g_autofree char *dims = g_strdup_printf ("0, %d, 3, %d, %d", size->length,
                                           size->n_heads, depth);
  Value qkv = net_dense (net, x, 3 * size->width, 1);
  char root[16];
  Value q, k, v;

  qkv = net_reshape (net, qkv, dims, depth);
  qkv = net_transpose (net, qkv, "2, 0, 3, 1, 4", depth);
  q = vit_pick (net, qkv, "0");
  k = vit_pick (net, qkv, "1");
  v = vit_pick (net, qkv, "2");
  q = net_binary (net, "Div", q,
                  net_number (net, root_of_depth (size, root)));
  k = net_transpose (net, k, "0, 1, 3, 2", size->length);
  x = net_binary (net, "MatMul", q, k);
  x = net_unary (net, "Softmax", x, "\"axis\": -1");
  x = net_op (net, "MatMul", "", depth, x.name, v.name, NULL);
  return net_dense (net, join_heads (net, x, size), size->width, gain);
}

static Value
vit (Net *net, Value image, const Size *size)
{
  Value x = vit_embed (net, image, size), y;
  double gain = 0.5 / size->n_layers;

  for (int i = 0; i < size->n_layers; i++)
    {
      y = layer_norm_in_parts (net, x, "1e-06");
      x = net_binary (net, "Add", x, vit_attention (net, y, size, gain));
      y = net_dense (net, layer_norm_in_parts (net, x, "1e-06"), size->inner,
                     1);
      y = net_dense (net, gelu (net, y), size->width, 2 * gain);
      x = net_binary (net, "Add", x, y);
    }
  x = layer_norm_in_parts (net, x, "1e-06");
  x = net_op (net, "Gather", "\"axis\": 1", size->width, x.name,
              net_int (net, "0").name, NULL);
  return net_linear (net, x, size->vocabulary);
}

static Value
vit_b_16 (Net *net, Value image)
{
  return vit (net, image, &(Size){ 12, 768, 12, 3072, 197, 1000 });
}

static Value
vit_ti_16 (Net *net, Value image)
{
  return vit (net, image, &(Size){ 12, 192, 3, 768, 197, 1000 });
}

/* -------------------------------------------------------------------------- */

#define TOKENS(name, length)                                                  \
  "{\"name\": \"" name "\", \"dtype\": \"int64\", \"shape\": [\"N\", " length \
  "]}"
#define BERT_INPUTS                                                           \
  TOKENS ("input_ids", "128")                                                 \
  ", " TOKENS ("token_type_ids", "128") ", " TOKENS ("attention_mask", "128")
#define IMAGE "{\"name\": \"image\", \"shape\": [\"N\", 3, 224, 224]}"

const Network transformer_networks[] = {
  { "bert_base", 109482240, 17, "\"N\": 1", BERT_INPUTS, { "input_ids", 0 },
    bert_base },
  { "bert_mini", 11170560, 17, "\"N\": 1", BERT_INPUTS, { "input_ids", 0 },
    bert_mini },
  { "gpt2", 124439808, 13, "\"N\": 1", TOKENS ("input_ids", GPT2_END),
    { "input_ids", 0 }, gpt2_small },
  { "gpt2_mini", 1167872, 13, "\"N\": 1", TOKENS ("input_ids", GPT2_END),
    { "input_ids", 0 }, gpt2_mini },
  { "vit_b_16", 86567656, 13, "\"N\": 1", IMAGE, { "image", 3 }, vit_b_16 },
  { "vit_ti_16", 5717416, 13, "\"N\": 1", IMAGE, { "image", 3 }, vit_ti_16 },
  { 0 },
};
