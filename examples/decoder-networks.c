/* decoder-networks.c: networks that write one token after the other: decoders as
 * of Llama (Touvron et al. 2023), with keys and values of what was before in caches, as
 * onnxruntime-genai exports them. */
#include "config.h"

#include "net.h"

#include <math.h>

typedef struct
{
  int n_layers, width, n_heads, n_kv_heads, inner;
  int vocabulary;
  gboolean is_tied;           /* the head is the embedding, transposed */
} Size;

/* What all layers share. */
typedef struct
{
  const Size *size;
  Value cosines, sines;       /* [P, depth / 2] */
  Value total;                /* P: places of a cache */
} Decoder;

static Value
project (Net *net, Value x, int out, double gain)
{
  Value weight = net_weight (net, sqrt (gain / x.channels), 2, x.channels, out);

  return net_op (net, "MatMul", "", out, x.name, weight.name, NULL);
}

static Value
rms_norm (Net *net, Value x)
{
  Value scale = net_filled (net, x.channels, "1");

  return net_op (net, "RMSNormalization", "\"axis\": -1, \"epsilon\": 1e-05",
                 x.channels, x.name, scale.name, NULL);
}

/* ---- rotary embedding (Su et al. 2021) ----------------------------------- */

/* 10000^(-2 i / depth): what a place turns the pair i by. */
static void
add_frequencies (Net *net, int depth)
{
  g_autoptr (GString) data = g_string_new ("\"data\": [");
  g_autofree char *shape = g_strdup_printf ("1, %d", depth / 2);

  for (int i = 0; i < depth / 2; i++)
    {
      char number[G_ASCII_DTOSTR_BUF_SIZE];

      g_ascii_formatd (number, sizeof number, "%.9g",
                       pow (10000, -2.0 * i / depth));
      g_string_append_printf (data, "%s%s", i > 0 ? ", " : "", number);
    }
  g_string_append_c (data, ']');
  net_add_constant (net, "frequencies", "float32", shape, data->str);
}

static void
add_rotary (Net *net, Decoder *decoder)
{
  const Size *size = decoder->size;
  Value p = net_op (net, "Shape", "\"start\": 2, \"end\": 3", 1,
                    "past_key_values.0.key", NULL);

  p = net_op (net, "Squeeze", "", 0, p.name, net_ints (net, "0").name, NULL);
  decoder->total = net_unary (net, "Cast", p, "\"to\": 6");
  p = net_op (net, "Range", "", 0, net_int (net, "0").name, p.name,
              net_int (net, "1").name, NULL);
  p = net_unary (net, "Cast", p, "\"to\": 1");
  p = net_op (net, "Unsqueeze", "", 1, p.name, net_ints (net, "1").name, NULL);
  add_frequencies (net, size->width / size->n_heads);
  p = net_op (net, "Mul", "", 0, p.name, "frequencies", NULL);
  decoder->cosines = net_unary (net, "Cos", p, "");
  decoder->sines = net_unary (net, "Sin", p, "");
}

/* ---- a layer -------------------------------------------------------------- */

/* The caches of layer @i are inputs and outputs. */
static Value
attend (Net *net, const Decoder *decoder, const Value *qkv, int i)
{
  const Size *size = decoder->size;
  g_autofree char *attrs = g_strdup_printf (
      "\"num_heads\": %d, \"kv_num_heads\": %d, \"do_rotary\": 1",
      size->n_heads, size->n_kv_heads);
  g_autofree char *inputs = g_strdup_printf (
      "\"%s\", \"%s\", \"%s\", \"past_key_values.%d.key\", "
      "\"past_key_values.%d.value\", \"seqlens_k\", \"%s\", \"%s\", \"%s\"",
      qkv[0].name, qkv[1].name, qkv[2].name, i, i, decoder->total.name,
      decoder->cosines.name, decoder->sines.name);
  Value y = { .channels = size->width };
  g_autofree char *outputs = NULL;

  g_snprintf (y.name, sizeof y.name, "attention.%d", i);
  outputs = g_strdup_printf (
      "\"%s\", \"present.%d.key\", \"present.%d.value\"", y.name, i, i);
  net_add_op (net, "com.microsoft.GroupQueryAttention", attrs, inputs, outputs);
  return y;
}

static void
add_caches (Net *net, const Size *size, int i)
{
  static const char *const names[] = { "key", "value" };
  g_autofree char *dims
      = g_strdup_printf ("\"N\", %d, \"P\", %d", size->n_kv_heads,
                         size->width / size->n_heads);

  for (gsize k = 0; k < G_N_ELEMENTS (names); k++)
    {
      g_autofree char *past
          = g_strdup_printf ("past_key_values.%d.%s", i, names[k]);
      Value present = { .channels = 0 };

      g_snprintf (present.name, sizeof present.name, "present.%d.%s", i,
                  names[k]);
      net_add_input (net, past, dims);
      net_add_output (net, present);
    }
}

/* Residual branches are scaled down with depth. */
static Value
add_layer (Net *net, const Decoder *decoder, Value x, int i)
{
  const Size *size = decoder->size;
  int kv_width = size->width / size->n_heads * size->n_kv_heads;
  double gain = 0.5 / size->n_layers;
  Value y = rms_norm (net, x), gate;
  const Value qkv[] = { project (net, y, size->width, 4),
                        project (net, y, kv_width, 4),
                        project (net, y, kv_width, 1) };

  add_caches (net, size, i);
  y = attend (net, decoder, qkv, i);
  x = net_binary (net, "Add", x, project (net, y, size->width, gain));
  y = rms_norm (net, x);
  gate = project (net, y, size->inner, 1);
  y = project (net, y, size->inner, 1);
  gate = net_binary (net, "Mul", gate, net_unary (net, "Sigmoid", gate, ""));
  y = net_binary (net, "Mul", gate, y);
  return net_binary (net, "Add", x, project (net, y, size->width, 4 * gain));
}

static Value
decoder (Net *net, Value ids, const Size *size)
{
  Decoder decoder = { .size = size };
  Value words = net_weight (net, 0.05, 2, size->vocabulary, size->width);
  Value x = net_op (net, "Gather", "", size->width, words.name, ids.name, NULL);
  Value head, logits = { .name = "logits", .channels = size->vocabulary };
  g_autofree char *inputs = NULL;

  add_rotary (net, &decoder);
  for (int i = 0; i < size->n_layers; i++)
    x = add_layer (net, &decoder, x, i);
  x = rms_norm (net, x);
  head = size->is_tied
             ? net_transpose (net, words, "1, 0", size->vocabulary)
             : net_weight (net, sqrt (1.0 / size->width), 2, size->width,
                           size->vocabulary);
  inputs = g_strdup_printf ("\"%s\", \"%s\"", x.name, head.name);
  net_add_op (net, "MatMul", "", inputs, "\"logits\"");
  return logits;
}

/* ---------------------------------------------------------------------------- */

static Value
decoder_mini (Net *net, Value ids)
{
  return decoder (net, ids, &(Size){ 2, 128, 4, 2, 352, 2000, FALSE });
}

/* Ben Allal et al. 2024. */
static Value
smollm_135m (Net *net, Value ids)
{
  return decoder (net, ids, &(Size){ 30, 576, 9, 3, 1536, 49152, TRUE });
}

#define DIMS "\"N\": 1, \"S\": 1, \"P\": 64"
#define INPUTS                                                                \
  "{\"name\": \"input_ids\", \"dtype\": \"int64\", \"shape\": [\"N\", \"S\"]}, " \
  "{\"name\": \"seqlens_k\", \"dtype\": \"int32\", \"shape\": [\"N\"]}"

const Network decoder_networks[] = {
  { "decoder_mini", 881280, 23, DIMS, INPUTS, { "input_ids", 0 },
    decoder_mini },
  { "smollm_135m", 134515008, 23, DIMS, INPUTS, { "input_ids", 0 },
    smollm_135m },
  { 0 },
};
