/* net.c: constants and ops as the text of graph.json. */
#include "config.h"

#include "net.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void
net_init (Net *net, guint64 seed)
{
  net->initializers = g_string_new (NULL);
  net->ops = g_string_new (NULL);
  net->inputs = g_string_new (NULL);
  net->outputs = g_string_new (NULL);
  net->shared = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  net->n_ops = 0;
  net->seed = seed;
  net->n_parameters = 0;
}

void
net_clear (Net *net)
{
  g_string_free (net->initializers, TRUE);
  g_string_free (net->ops, TRUE);
  g_string_free (net->inputs, TRUE);
  g_string_free (net->outputs, TRUE);
  g_hash_table_unref (net->shared);
}

/* ---- constants --------------------------------------------------------- */

void
net_add_constant (Net *net, const char *name, const char *dtype,
                  const char *shape, const char *value)
{
  if (net->initializers->len > 0)
    g_string_append (net->initializers, ",\n");
  g_string_append_printf (net->initializers,
                          "    {\"name\": \"%s\", \"dtype\": \"%s\", "
                          "\"shape\": [%s], %s}",
                          name, dtype, shape, value);
}

void
net_add_random (Net *net, const char *name, const char *shape, double std)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *value = NULL;

  g_ascii_formatd (number, sizeof number, "%.6g", std);
  value = g_strdup_printf ("\"random\": {\"seed\": %" G_GUINT64_FORMAT
                           ", \"std\": %s}",
                           net->seed++, number);
  net_add_constant (net, name, "float32", shape, value);
}

void
net_add_fill (Net *net, const char *name, int n, const char *number)
{
  g_autofree char *shape = g_strdup_printf ("%d", n);
  g_autofree char *value = g_strdup_printf ("\"fill\": %s", number);

  net_add_constant (net, name, "float32", shape, value);
}

/* @letter and a number that no other constant has. */
static Value
make_name (Net *net, char letter)
{
  Value value = { .channels = 0 };

  g_snprintf (value.name, sizeof value.name, "%c%d_%u", letter, net->n_ops,
              (guint) net->initializers->len);
  return value;
}

Value
net_weight (Net *net, double std, int n, ...)
{
  g_autoptr (GString) shape = g_string_new (NULL);
  Value weight = make_name (net, 'w');
  gint64 count = 1;
  va_list dims;

  va_start (dims, n);
  for (int i = 0; i < n; i++)
    {
      weight.channels = va_arg (dims, int);
      g_string_append_printf (shape, "%s%d", i ? ", " : "", weight.channels);
      count *= weight.channels;
    }
  va_end (dims);
  net_add_random (net, weight.name, shape->str, std);
  net->n_parameters += count;
  return weight;
}

Value
net_filled (Net *net, int n, const char *number)
{
  Value vector = make_name (net, 'v');

  vector.channels = n;
  net_add_fill (net, vector.name, n, number);
  net->n_parameters += n;
  return vector;
}

/* A constant named after its @values, made when asked for first. */
static Value
share (Net *net, const char *prefix, const char *dtype, int rank,
       const char *values)
{
  Value value = { .channels = 1 };
  g_autofree char *data = g_strdup_printf ("\"data\": [%s]", values);
  g_autofree char *shape = NULL;

  for (const char *p = values; *p; p++)
    value.channels += *p == ',';
  shape = rank == 0 ? g_strdup ("") : g_strdup_printf ("%d", value.channels);
  g_snprintf (value.name, sizeof value.name, "%s%s", prefix, values);
  g_strdelimit (value.name, ", ", '_');
  if (g_hash_table_add (net->shared, g_strdup (value.name)))
    net_add_constant (net, value.name, dtype, shape, data);
  return value;
}

Value
net_ints (Net *net, const char *values)
{
  return share (net, "ints_", "int64", 1, values);
}

Value
net_int (Net *net, const char *value)
{
  return share (net, "int_", "int64", 0, value);
}

Value
net_number (Net *net, const char *value)
{
  return share (net, "number_", "float32", 0, value);
}

/* ---- ops --------------------------------------------------------------- */

/* Output @i of the op whose first output is @first. */
Value
net_get_output (Value first, int i, int channels)
{
  Value out = first;

  if (i > 0)
    g_snprintf (out.name, sizeof out.name, "%.40s_%d", first.name, i);
  out.channels = channels;
  return out;
}

/* What the next op is called. */
static Value
name_op (const Net *net, const char *type)
{
  Value name = { .channels = 0 };

  g_snprintf (name.name, sizeof name.name, "%s_%d", type, net->n_ops);
  for (char *p = name.name; *p; p++)
    *p = g_ascii_tolower (*p);
  return name;
}

void
net_add_op (Net *net, const char *type, const char *attrs, const char *inputs,
            const char *outputs)
{
  if (net->ops->len > 0)
    g_string_append (net->ops, ",\n");
  g_string_append_printf (net->ops,
                          "    {\"name\": \"%s\", \"type\": \"%s\", "
                          "\"inputs\": [%s], \"outputs\": [%s]",
                          name_op (net, type).name, type, inputs, outputs);
  if (*attrs)
    g_string_append_printf (net->ops, ", \"attrs\": {%s}", attrs);
  g_string_append (net->ops, "}");
  net->n_ops++;
}

Value
net_op_json (Net *net, const char *type, const char *attrs, int channels,
             const char *inputs, int n_outputs)
{
  g_autoptr (GString) outputs = g_string_new (NULL);
  Value out = name_op (net, type);

  out.channels = channels;
  for (int i = 0; i < n_outputs; i++)
    g_string_append_printf (outputs, "%s\"%s\"", i > 0 ? ", " : "",
                            net_get_output (out, i, 0).name);
  net_add_op (net, type, attrs, inputs, outputs->str);
  return out;
}

Value
net_op (Net *net, const char *type, const char *attrs, int channels, ...)
{
  g_autoptr (GString) inputs = g_string_new (NULL);
  const char *name;
  va_list names;

  va_start (names, channels);
  while ((name = va_arg (names, const char *)) != NULL)
    g_string_append_printf (inputs, "%s\"%s\"", inputs->len ? ", " : "", name);
  va_end (names);
  return net_op_json (net, type, attrs, channels, inputs->str, 1);
}

Value
net_unary (Net *net, const char *type, Value x, const char *attrs)
{
  return net_op (net, type, attrs, x.channels, x.name, NULL);
}

Value
net_binary (Net *net, const char *type, Value a, Value b)
{
  return net_op (net, type, "", a.channels, a.name, b.name, NULL);
}

Value
net_concat (Net *net, const Value *parts, int n)
{
  g_autoptr (GString) inputs = g_string_new (NULL);
  int channels = 0;

  for (int i = 0; i < n; i++)
    {
      g_string_append_printf (inputs, "%s\"%s\"", i ? ", " : "",
                              parts[i].name);
      channels += parts[i].channels;
    }
  return net_op_json (net, "Concat", "\"axis\": 1", channels, inputs->str, 1);
}

Value
net_reshape (Net *net, Value x, const char *dims, int channels)
{
  return net_op (net, "Reshape", "", channels, x.name,
                 net_ints (net, dims).name, NULL);
}

Value
net_transpose (Net *net, Value x, const char *perm, int channels)
{
  g_autofree char *attrs = g_strdup_printf ("\"perm\": [%s]", perm);

  return net_op (net, "Transpose", attrs, channels, x.name, NULL);
}

void
net_add_output (Net *net, Value value)
{
  g_string_append_printf (net->outputs, ", \"%s\"", value.name);
}

void
net_add_input (Net *net, const char *name, const char *dims)
{
  g_string_append_printf (net->inputs,
                          ", {\"name\": \"%s\", \"shape\": [%s]}", name,
                          dims);
}

/* ---- layers ------------------------------------------------------------ */

Value
net_dense (Net *net, Value x, int out, double gain)
{
  Value weight = net_weight (net, sqrt (gain / x.channels), 2, x.channels, out);
  Value bias = net_weight (net, 0.05, 1, out);
  Value y = net_op (net, "MatMul", "", out, x.name, weight.name, NULL);

  return net_op (net, "Add", "", out, bias.name, y.name, NULL);
}

Value
net_linear (Net *net, Value x, int out)
{
  g_autofree char *shape = g_strdup_printf ("%d, %d", out, x.channels);
  g_autofree char *n_out = g_strdup_printf ("%d", out);

  net_add_random (net, "fc.weight", shape, sqrt (1.0 / x.channels));
  net_add_random (net, "fc.bias", n_out, 0.05);
  net->n_parameters += (gint64) out * x.channels + out;
  return net_op (net, "Gemm", "\"transB\": 1", out, x.name, "fc.weight",
                 "fc.bias", NULL);
}
