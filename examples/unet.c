/* unet.c: segmentation: U-Net (Ronneberger et al. 2015) with padded convolutions
 * and BatchNormalization, 32 channels wide, as on PyTorch Hub for brain MRI. */
#include "config.h"

#include "net.h"

#include <math.h>

#define N_LEVELS 4

/* gain: see ConvSpec in image-networks.c. */
static Value
conv (Net *net, Value x, int out, int kernel, double gain)
{
  double std = sqrt (gain / ((double) x.channels * kernel * kernel));
  Value weight = net_weight (net, std, 4, out, x.channels, kernel, kernel);
  g_autofree char *attrs = g_strdup_printf (
      "\"kernel_shape\": [%d, %d], \"pads\": [%d, %d, %d, %d]", kernel, kernel,
      kernel / 2, kernel / 2, kernel / 2, kernel / 2);

  if (kernel > 1)
    return net_op (net, "Conv", attrs, out, x.name, weight.name, NULL);
  return net_op (net, "Conv", attrs, out, x.name, weight.name,
                 net_weight (net, 0.05, 1, out).name, NULL);
}

static Value
batch_norm (Net *net, Value x)
{
  Value scale = net_filled (net, x.channels, "1");
  Value bias = net_weight (net, 0.05, 1, x.channels);
  g_autofree char *mean = g_strdup_printf ("mean%d", net->n_ops);
  g_autofree char *variance = g_strdup_printf ("variance%d", net->n_ops);

  net_add_fill (net, mean, x.channels, "0.02");
  net_add_fill (net, variance, x.channels, "1.02");
  return net_op (net, "BatchNormalization", "\"epsilon\": 1e-05", x.channels,
                 x.name, scale.name, bias.name, mean, variance, NULL);
}

static Value
block (Net *net, Value x, int out, double gain)
{
  x = net_unary (net, "Relu", batch_norm (net, conv (net, x, out, 3, gain)),
                 "");
  return net_unary (net, "Relu", batch_norm (net, conv (net, x, out, 3, 2)),
                    "");
}

static Value
up (Net *net, Value x, Value skip)
{
  int out = x.channels / 2;
  /* Each pixel of the result is reached by one pixel of x. */
  Value weight = net_weight (net, sqrt (2.0 / x.channels), 4, x.channels, out,
                             2, 2);
  Value bias = net_weight (net, 0.05, 1, out);
  Value parts[2];

  parts[0] = net_op (net, "ConvTranspose",
                     "\"kernel_shape\": [2, 2], \"strides\": [2, 2]", out,
                     x.name, weight.name, bias.name, NULL);
  parts[1] = skip;
  return net_concat (net, parts, 2);
}

static Value
unet (Net *net, Value x)
{
  Value skips[N_LEVELS];

  for (int i = 0; i < N_LEVELS; i++)
    {
      skips[i] = block (net, x, 32 << i, i == 0 ? 1 : 2);
      x = net_unary (net, "MaxPool", skips[i],
                     "\"kernel_shape\": [2, 2], \"strides\": [2, 2]");
    }
  x = block (net, x, 32 << N_LEVELS, 2);
  for (int i = N_LEVELS - 1; i >= 0; i--)
    x = block (net, up (net, x, skips[i]), 32 << i, 4.0 / 3);
  return net_unary (net, "Sigmoid", conv (net, x, 1, 1, 2), "");
}

const Network segmentation_networks[] = {
  { "unet", 7763041, 13, "\"N\": 1, \"H\": 256, \"W\": 256",
    "{\"name\": \"image\", \"shape\": [\"N\", 3, \"H\", \"W\"]}",
    { "image", 3 }, unet },
  { 0 },
};
