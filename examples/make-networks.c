/* make-networks.c: writes the example networks as graph.json.
 *
 * Architectures are those of the papers as torchvision builds them; weights are
 * seeded random numbers, scaled (He et al. 2015) so that activations stay near
 * 1 and a comparison of results means something at every depth. Prints the
 * number of parameters, which must equal the published one. */
#include "config.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct
{
  GString *initializers;
  GString *ops;
  int n_ops;
  guint64 seed;
  gint64 n_parameters;        /* as published: without running statistics */
} Net;

/* A value on its way through the network. */
typedef struct
{
  char name[48];
  int channels;
} Value;

typedef struct
{
  int out, kernel, stride, pad, groups;
  double gain;                /* second moment of the input is 1/gain of that
                               * before a ReLU: 2 after one, 1 otherwise */
  gboolean has_bias;
} ConvSpec;

static void
net_init (Net *net, guint64 seed)
{
  net->initializers = g_string_new (NULL);
  net->ops = g_string_new (NULL);
  net->n_ops = 0;
  net->seed = seed;
  net->n_parameters = 0;
}

static void
add_initializer (Net *net, const char *name, const char *shape,
                 const char *value)
{
  if (net->initializers->len > 0)
    g_string_append (net->initializers, ",\n");
  g_string_append_printf (net->initializers,
                          "    {\"name\": \"%s\", \"dtype\": \"float32\", "
                          "\"shape\": [%s], %s}",
                          name, shape, value);
}

static void
add_random (Net *net, const char *name, const char *shape, double std)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *value = NULL;

  g_ascii_formatd (number, sizeof number, "%.6g", std);
  value = g_strdup_printf ("\"random\": {\"seed\": %" G_GUINT64_FORMAT
                           ", \"std\": %s}",
                           net->seed++, number);
  add_initializer (net, name, shape, value);
}

static void
add_fill (Net *net, const char *name, int n, const char *number)
{
  g_autofree char *shape = g_strdup_printf ("%d", n);
  g_autofree char *value = g_strdup_printf ("\"fill\": %s", number);

  add_initializer (net, name, shape, value);
}

/* Appends an op whose one output is named after it. @inputs and @attrs are JSON
 * text without the brackets. */
static Value
add_op (Net *net, const char *type, const char *inputs, const char *attrs,
        int channels)
{
  Value out = { .channels = channels };

  g_snprintf (out.name, sizeof out.name, "%s_%d", type, net->n_ops++);
  for (char *p = out.name; *p; p++)
    *p = g_ascii_tolower (*p);
  if (net->ops->len > 0)
    g_string_append (net->ops, ",\n");
  g_string_append_printf (net->ops,
                          "    {\"name\": \"%s\", \"type\": \"%s\", "
                          "\"inputs\": [%s], \"outputs\": [\"%s\"]",
                          out.name, type, inputs, out.name);
  if (*attrs)
    g_string_append_printf (net->ops, ", \"attrs\": {%s}", attrs);
  g_string_append (net->ops, "}");
  return out;
}

static Value
unary (Net *net, const char *type, Value x, const char *attrs)
{
  g_autofree char *inputs = g_strdup_printf ("\"%s\"", x.name);

  return add_op (net, type, inputs, attrs, x.channels);
}

static Value
binary (Net *net, const char *type, Value a, Value b)
{
  g_autofree char *inputs
      = g_strdup_printf ("\"%s\", \"%s\"", a.name, b.name);

  return add_op (net, type, inputs, "", a.channels);
}

static Value
concat (Net *net, const Value *parts, int n)
{
  g_autoptr (GString) inputs = g_string_new (NULL);
  int channels = 0;

  for (int i = 0; i < n; i++)
    {
      g_string_append_printf (inputs, "%s\"%s\"", i ? ", " : "",
                              parts[i].name);
      channels += parts[i].channels;
    }
  return add_op (net, "Concat", inputs->str, "\"axis\": 1", channels);
}

static Value
conv (Net *net, Value x, const ConvSpec *spec)
{
  int per_group = x.channels / spec->groups;
  gint64 fan_in = (gint64) per_group * spec->kernel * spec->kernel;
  g_autofree char *weight = g_strdup_printf ("w%d", net->n_ops);
  g_autofree char *bias = g_strdup_printf ("b%d", net->n_ops);
  g_autofree char *shape = g_strdup_printf ("%d, %d, %d, %d", spec->out,
                                            per_group, spec->kernel,
                                            spec->kernel);
  g_autofree char *n_out = g_strdup_printf ("%d", spec->out);
  g_autofree char *inputs
      = spec->has_bias
            ? g_strdup_printf ("\"%s\", \"%s\", \"%s\"", x.name, weight, bias)
            : g_strdup_printf ("\"%s\", \"%s\"", x.name, weight);
  g_autofree char *attrs = g_strdup_printf (
      "\"kernel_shape\": [%d, %d], \"strides\": [%d, %d], "
      "\"pads\": [%d, %d, %d, %d], \"group\": %d",
      spec->kernel, spec->kernel, spec->stride, spec->stride, spec->pad,
      spec->pad, spec->pad, spec->pad, spec->groups);

  add_random (net, weight, shape, sqrt (spec->gain / fan_in));
  net->n_parameters += spec->out * fan_in;
  if (spec->has_bias)
    {
      add_random (net, bias, n_out, 0.05);
      net->n_parameters += spec->out;
    }
  return add_op (net, "Conv", inputs, attrs, spec->out);
}

/* @scale: JSON number, the gamma of every channel. */
static Value
batch_norm (Net *net, Value x, const char *scale)
{
  static const char *const parts[] = { "gamma", "beta", "mean", "var" };
  g_autoptr (GString) inputs = g_string_new (NULL);
  g_autofree char *shape = g_strdup_printf ("%d", x.channels);
  char name[32];

  g_string_append_printf (inputs, "\"%s\"", x.name);
  for (int i = 0; i < 4; i++)
    {
      g_snprintf (name, sizeof name, "%s%d", parts[i], net->n_ops);
      g_string_append_printf (inputs, ", \"%s\"", name);
      if (i == 0 || i == 3)
        add_fill (net, name, x.channels, i == 0 ? scale : "1.02");
      else
        add_random (net, name, shape, 0.05);
    }
  net->n_parameters += 2 * x.channels;
  return add_op (net, "BatchNormalization", inputs->str, "\"epsilon\": 1e-05",
                 x.channels);
}

static Value
linear (Net *net, Value x, int out)
{
  g_autofree char *inputs
      = g_strdup_printf ("\"%s\", \"fc.weight\", \"fc.bias\"", x.name);
  g_autofree char *shape = g_strdup_printf ("%d, %d", out, x.channels);
  g_autofree char *n_out = g_strdup_printf ("%d", out);

  add_random (net, "fc.weight", shape, sqrt (1.0 / x.channels));
  add_random (net, "fc.bias", n_out, 0.05);
  net->n_parameters += (gint64) out * x.channels + out;
  return add_op (net, "Gemm", inputs, "\"transB\": 1", out);
}

static Value
max_pool (Net *net, Value x, int pad, gboolean is_ceil)
{
  g_autofree char *attrs = g_strdup_printf (
      "\"kernel_shape\": [3, 3], \"strides\": [2, 2], "
      "\"pads\": [%d, %d, %d, %d], \"ceil_mode\": %d",
      pad, pad, pad, pad, is_ceil);

  return unary (net, "MaxPool", x, attrs);
}

/* Conv, BatchNormalization and, when @activation is not NULL, that op. */
static Value
conv_norm (Net *net, Value x, const ConvSpec *spec, const char *activation,
           const char *scale)
{
  x = batch_norm (net, conv (net, x, spec), scale);
  if (activation == NULL)
    return x;
  if (strcmp (activation, "Clip") != 0)
    return unary (net, activation, x, "");

  g_autofree char *inputs = g_strdup_printf ("\"%s\", \"zero\", \"six\"",
                                             x.name);
  return add_op (net, "Clip", inputs, "", x.channels);
}

static Value
classify (Net *net, Value x)
{
  x = unary (net, "GlobalAveragePool", x, "");
  x = unary (net, "Flatten", x, "\"axis\": 1");
  return linear (net, x, 1000);
}

/* ---- SqueezeNet 1.1 (Iandola et al. 2016) ------------------------------- */

static Value
fire (Net *net, Value x, int squeeze, int expand)
{
  ConvSpec one = { squeeze, 1, 1, 0, 1, 2, TRUE };
  Value parts[2];

  x = unary (net, "Relu", conv (net, x, &one), "");
  one.out = expand;
  parts[0] = unary (net, "Relu", conv (net, x, &one), "");
  one.kernel = 3;
  one.pad = 1;
  parts[1] = unary (net, "Relu", conv (net, x, &one), "");
  return concat (net, parts, 2);
}

static Value
squeezenet (Net *net, Value x)
{
  static const struct
  {
    int squeeze, expand;
    gboolean is_pooled;       /* a MaxPool comes first */
  } fires[] = { { 16, 64, TRUE },   { 16, 64, FALSE }, { 32, 128, TRUE },
                { 32, 128, FALSE }, { 48, 192, TRUE }, { 48, 192, FALSE },
                { 64, 256, FALSE }, { 64, 256, FALSE } };
  ConvSpec stem = { 64, 3, 2, 0, 1, 1, TRUE };
  ConvSpec head = { 1000, 1, 1, 0, 1, 2, TRUE };

  x = unary (net, "Relu", conv (net, x, &stem), "");
  for (gsize i = 0; i < G_N_ELEMENTS (fires); i++)
    {
      if (fires[i].is_pooled)
        x = max_pool (net, x, 0, TRUE);
      x = fire (net, x, fires[i].squeeze, fires[i].expand);
    }
  x = unary (net, "Relu", conv (net, x, &head), "");
  x = unary (net, "GlobalAveragePool", x, "");
  return unary (net, "Flatten", x, "\"axis\": 1");
}

/* ---- MobileNetV2 (Sandler et al. 2018) ---------------------------------- */

static Value
inverted_residual (Net *net, Value x, int factor, int out, int stride)
{
  int wide = x.channels * factor;
  ConvSpec expand = { wide, 1, 1, 0, 1, 1, FALSE };
  ConvSpec depthwise = { wide, 3, stride, 1, wide, 2, FALSE };
  ConvSpec project = { out, 1, 1, 0, 1, 2, FALSE };
  gboolean is_residual = stride == 1 && x.channels == out;
  Value y = x;

  if (factor != 1)
    y = conv_norm (net, y, &expand, "Clip", "1");
  y = conv_norm (net, y, &depthwise, "Clip", "1");
  y = conv_norm (net, y, &project, NULL, is_residual ? "0.5" : "0.9");
  return is_residual ? binary (net, "Add", x, y) : y;
}

static Value
mobilenet (Net *net, Value x)
{
  static const int stages[][4] = { { 1, 16, 1, 1 },  { 6, 24, 2, 2 },
                                   { 6, 32, 3, 2 },  { 6, 64, 4, 2 },
                                   { 6, 96, 3, 1 },  { 6, 160, 3, 2 },
                                   { 6, 320, 1, 1 } };
  ConvSpec stem = { 32, 3, 2, 1, 1, 1, FALSE };
  ConvSpec head = { 1280, 1, 1, 0, 1, 1, FALSE };

  add_initializer (net, "zero", "", "\"fill\": 0");
  add_initializer (net, "six", "", "\"fill\": 6");
  x = conv_norm (net, x, &stem, "Clip", "1");
  for (gsize i = 0; i < G_N_ELEMENTS (stages); i++)
    for (int j = 0; j < stages[i][2]; j++)
      x = inverted_residual (net, x, stages[i][0], stages[i][1],
                             j == 0 ? stages[i][3] : 1);
  return classify (net, conv_norm (net, x, &head, "Clip", "1"));
}

/* ---- ResNet50 (He et al. 2016, stride in the 3x3) ------------------------ */

static Value
bottleneck (Net *net, Value x, int width, int stride)
{
  ConvSpec reduce = { width, 1, 1, 0, 1, 2, FALSE };
  ConvSpec spatial = { width, 3, stride, 1, 1, 2, FALSE };
  ConvSpec expand = { 4 * width, 1, 1, 0, 1, 2, FALSE };
  ConvSpec shortcut = { 4 * width, 1, stride, 0, 1, 1, FALSE };
  Value y = conv_norm (net, x, &reduce, "Relu", "1");

  y = conv_norm (net, y, &spatial, "Relu", "1");
  y = conv_norm (net, y, &expand, NULL, "0.5");
  if (x.channels != 4 * width)
    x = conv_norm (net, x, &shortcut, NULL, "1");
  return unary (net, "Relu", binary (net, "Add", y, x), "");
}

static Value
resnet50 (Net *net, Value x)
{
  static const int depths[] = { 3, 4, 6, 3 };
  ConvSpec stem = { 64, 7, 2, 3, 1, 1, FALSE };

  x = max_pool (net, conv_norm (net, x, &stem, "Relu", "1"), 1, FALSE);
  for (int stage = 0; stage < 4; stage++)
    for (int i = 0; i < depths[stage]; i++)
      x = bottleneck (net, x, 64 << stage, i == 0 && stage > 0 ? 2 : 1);
  return classify (net, x);
}

/* ---- DenseNet121 (Huang et al. 2017) ------------------------------------- */

static Value
norm_relu_conv (Net *net, Value x, const ConvSpec *spec)
{
  x = unary (net, "Relu", batch_norm (net, x, "1"), "");
  return conv (net, x, spec);
}

static Value
dense_block (Net *net, Value x, int n_layers)
{
  ConvSpec narrow = { 128, 1, 1, 0, 1, 2, FALSE };
  ConvSpec grow = { 32, 3, 1, 1, 1, 2, FALSE };
  Value features[32];

  features[0] = x;
  for (int i = 1; i <= n_layers; i++)
    {
      Value y = i == 1 ? x : concat (net, features, i);

      features[i]
          = norm_relu_conv (net, norm_relu_conv (net, y, &narrow), &grow);
    }
  return concat (net, features, n_layers + 1);
}

static Value
densenet121 (Net *net, Value x)
{
  static const int depths[] = { 6, 12, 24, 16 };
  ConvSpec stem = { 64, 7, 2, 3, 1, 1, FALSE };

  x = max_pool (net, conv_norm (net, x, &stem, "Relu", "1"), 1, FALSE);
  for (int i = 0; i < 4; i++)
    {
      x = dense_block (net, x, depths[i]);
      if (i == 3)
        break;
      ConvSpec halve = { x.channels / 2, 1, 1, 0, 1, 2, FALSE };
      x = unary (net, "AveragePool", norm_relu_conv (net, x, &halve),
                 "\"kernel_shape\": [2, 2], \"strides\": [2, 2]");
    }
  return classify (net, unary (net, "Relu", batch_norm (net, x, "1"), ""));
}

/* -------------------------------------------------------------------------- */

static const struct
{
  const char *name;
  Value (*build) (Net *net, Value x);
  gint64 n_parameters;
} networks[] = {
  { "squeezenet1_1", squeezenet, 1235496 },
  { "mobilenet_v2", mobilenet, 3504872 },
  { "resnet50", resnet50, 25557032 },
  { "densenet121", densenet121, 7978856 },
};

static gboolean
write_network (const char *directory, int which, GError **error)
{
  g_autofree char *path = g_strdup_printf ("%s/%s.json", directory,
                                           networks[which].name);
  g_autoptr (GString) text = g_string_new (NULL);
  Value input = { "image", 3 };
  Net net;

  net_init (&net, 1000 * (which + 1));
  Value output = networks[which].build (&net, input);
  g_string_append_printf (
      text,
      "{ \"format\": \"tplan-graph/1\", \"name\": \"%s\", \"opset\": 13,\n"
      "  \"dims\": {\"N\": 1},\n"
      "  \"inputs\": [{\"name\": \"image\", \"dtype\": \"float32\", "
      "\"shape\": [\"N\", 3, 224, 224]}],\n"
      "  \"outputs\": [\"%s\"],\n  \"initializers\": [\n%s\n  ],\n"
      "  \"ops\": [\n%s\n  ] }\n",
      networks[which].name, output.name, net.initializers->str, net.ops->str);
  g_string_free (net.initializers, TRUE);
  g_string_free (net.ops, TRUE);
  g_print ("%s: %" G_GINT64_FORMAT " parameters, %d ops\n", path,
           net.n_parameters, net.n_ops);
  if (net.n_parameters != networks[which].n_parameters)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                   "%s: expected %" G_GINT64_FORMAT " parameters", path,
                   networks[which].n_parameters);
      return FALSE;
    }
  return g_file_set_contents (path, text->str, text->len, error);
}

int
main (int argc, char **argv)
{
  const char *directory = argc > 1 ? argv[1] : ".";

  for (gsize i = 0; i < G_N_ELEMENTS (networks); i++)
    {
      g_autoptr (GError) error = NULL;

      if (!write_network (directory, i, &error))
        {
          g_printerr ("make-networks: %s\n", error->message);
          return 1;
        }
    }
  return 0;
}
