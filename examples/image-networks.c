/* image-networks.c: classifiers of images as torchvision builds them. */
#include "config.h"

#include "net.h"

#include <math.h>
#include <string.h>

typedef struct
{
  int out, kernel, stride, pad, groups;
  double gain;                /* second moment of the input is 1/gain of that
                               * before a ReLU: 2 after one, 1 otherwise */
  gboolean has_bias;
} ConvSpec;

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

  net_add_random (net, weight, shape, sqrt (spec->gain / fan_in));
  net->n_parameters += spec->out * fan_in;
  if (spec->has_bias)
    {
      net_add_random (net, bias, n_out, 0.05);
      net->n_parameters += spec->out;
    }
  return net_op_json (net, "Conv", attrs, spec->out, inputs, 1);
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
        net_add_fill (net, name, x.channels, i == 0 ? scale : "1.02");
      else
        net_add_random (net, name, shape, 0.05);
    }
  net->n_parameters += 2 * x.channels;
  return net_op_json (net, "BatchNormalization", "\"epsilon\": 1e-05",
                      x.channels, inputs->str, 1);
}

static Value
max_pool (Net *net, Value x, int pad, gboolean is_ceil)
{
  g_autofree char *attrs = g_strdup_printf (
      "\"kernel_shape\": [3, 3], \"strides\": [2, 2], "
      "\"pads\": [%d, %d, %d, %d], \"ceil_mode\": %d",
      pad, pad, pad, pad, is_ceil);

  return net_unary (net, "MaxPool", x, attrs);
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
    return net_unary (net, activation, x, "");

  g_autofree char *inputs = g_strdup_printf ("\"%s\", \"zero\", \"six\"",
                                             x.name);
  return net_op_json (net, "Clip", "", x.channels, inputs, 1);
}

static Value
classify (Net *net, Value x)
{
  x = net_unary (net, "GlobalAveragePool", x, "");
  x = net_unary (net, "Flatten", x, "\"axis\": 1");
  return net_linear (net, x, 1000);
}

/* ---- SqueezeNet 1.1 (Iandola et al. 2016) ------------------------------- */

static Value
fire (Net *net, Value x, int squeeze, int expand)
{
  ConvSpec one = { squeeze, 1, 1, 0, 1, 2, TRUE };
  Value parts[2];

  x = net_unary (net, "Relu", conv (net, x, &one), "");
  one.out = expand;
  parts[0] = net_unary (net, "Relu", conv (net, x, &one), "");
  one.kernel = 3;
  one.pad = 1;
  parts[1] = net_unary (net, "Relu", conv (net, x, &one), "");
  return net_concat (net, parts, 2);
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

  x = net_unary (net, "Relu", conv (net, x, &stem), "");
  for (gsize i = 0; i < G_N_ELEMENTS (fires); i++)
    {
      if (fires[i].is_pooled)
        x = max_pool (net, x, 0, TRUE);
      x = fire (net, x, fires[i].squeeze, fires[i].expand);
    }
  x = net_unary (net, "Relu", conv (net, x, &head), "");
  x = net_unary (net, "GlobalAveragePool", x, "");
  return net_unary (net, "Flatten", x, "\"axis\": 1");
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
  return is_residual ? net_binary (net, "Add", x, y) : y;
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

  net_add_constant (net, "zero", "float32", "", "\"fill\": 0");
  net_add_constant (net, "six", "float32", "", "\"fill\": 6");
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
  return net_unary (net, "Relu", net_binary (net, "Add", y, x), "");
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
  x = net_unary (net, "Relu", batch_norm (net, x, "1"), "");
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
      Value y = i == 1 ? x : net_concat (net, features, i);

      features[i]
          = norm_relu_conv (net, norm_relu_conv (net, y, &narrow), &grow);
    }
  return net_concat (net, features, n_layers + 1);
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
      x = net_unary (net, "AveragePool", norm_relu_conv (net, x, &halve),
                 "\"kernel_shape\": [2, 2], \"strides\": [2, 2]");
    }
  return classify (net, net_unary (net, "Relu", batch_norm (net, x, "1"), ""));
}

/* -------------------------------------------------------------------------- */

#define IMAGE(name, n, build)                                                 \
  {                                                                           \
    name, n, 13, "\"N\": 1",                                                  \
        "{\"name\": \"image\", \"dtype\": \"float32\", "                      \
        "\"shape\": [\"N\", 3, 224, 224]}",                                   \
        { "image", 3 }, build                                                 \
  }

const Network image_networks[] = {
  IMAGE ("squeezenet1_1", 1235496, squeezenet),
  IMAGE ("mobilenet_v2", 3504872, mobilenet),
  IMAGE ("resnet50", 25557032, resnet50),
  IMAGE ("densenet121", 7978856, densenet121),
  { 0 },
};
