/* net.h: a network being written as graph.json. Weights are seeds, so that a
 * file of kilobytes holds a network of hundreds of megabytes. */
#ifndef TP_EXAMPLES_NET_H
#define TP_EXAMPLES_NET_H

#include <glib.h>

typedef struct
{
  GString *initializers;
  GString *ops;
  GString *inputs;            /* beyond those of the Network */
  GString *outputs;           /* beyond the one that the builder returns */
  GHashTable *shared;         /* names of constants made by net_ints () */
  int n_ops;
  guint64 seed;
  gint64 n_parameters;        /* as published: without running statistics */
} Net;

/* A value on its way through the network. */
typedef struct
{
  char name[48];
  int channels;               /* of an image; else the last dimension */
} Value;

typedef struct
{
  const char *name;
  gint64 n_parameters;        /* as published */
  int opset;
  const char *dims;           /* JSON inside of the braces */
  const char *inputs;         /* JSON inside of the brackets */
  Value first;                /* input: what the builder is given */
  Value (*build) (Net *net, Value x);
} Network;

void net_init (Net *net, guint64 seed);
void net_clear (Net *net);

/* @shape and @value are JSON: "2, 3" and "\"fill\": 0". */
void net_add_constant (Net *net, const char *name, const char *dtype,
                       const char *shape, const char *value);
void net_add_random (Net *net, const char *name, const char *shape, double std);
void net_add_fill (Net *net, const char *name, int n, const char *number);
/* Random parameters, counted; @n dimensions follow as ints. */
Value net_weight (Net *net, double std, int n, ...);
/* A counted vector of equal numbers. */
Value net_filled (Net *net, int n, const char *number);
/* Constants that ops ask for, such as "0, -1", made once each. */
Value net_ints (Net *net, const char *values);
Value net_int (Net *net, const char *value);       /* of rank 0 */
Value net_number (Net *net, const char *value);    /* float32, of rank 0 */

/* An op with inputs by name up to NULL ("" leaves one out), whose output is
 * named after it. @attrs is JSON without braces. */
Value net_op (Net *net, const char *type, const char *attrs, int channels,
              ...) G_GNUC_NULL_TERMINATED;
/* @inputs: JSON without brackets. Outputs beyond the first are named with _1, _2
 * behind; the first is returned. */
Value net_op_json (Net *net, const char *type, const char *attrs, int channels,
                   const char *inputs, int n_outputs);
Value net_get_output (Value first, int i, int channels);
/* An op whose outputs have names of their own; @inputs and @outputs as above. */
void net_add_op (Net *net, const char *type, const char *attrs,
                 const char *inputs, const char *outputs);
Value net_unary (Net *net, const char *type, Value x, const char *attrs);
Value net_binary (Net *net, const char *type, Value a, Value b);
Value net_concat (Net *net, const Value *parts, int n);  /* of channels */
/* @dims: "0, 0, 768": zeros keep a dimension. */
Value net_reshape (Net *net, Value x, const char *dims, int channels);
Value net_transpose (Net *net, Value x, const char *perm, int channels);
void net_add_output (Net *net, Value value);
/* @dims is JSON without brackets, of float32. */
void net_add_input (Net *net, const char *name, const char *dims);

/* x W + b as exporters write it: MatMul, then Add. */
Value net_dense (Net *net, Value x, int out, double gain);
/* The last layer of classifiers, Gemm. */
Value net_linear (Net *net, Value x, int out);

extern const Network image_networks[], segmentation_networks[],
    transformer_networks[], sequence_networks[],
    decoder_networks[];         /* a NULL name ends */

#endif
