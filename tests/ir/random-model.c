/* random-model.c: blocks that keep the shape, so that any may follow any. In their
 * texts % is what the block reads, $ its number, and y$ what it gives. */
#include "config.h"

#include "quoted-graph.h"
#include "random-model.h"

#include <string.h>

#define OP(type, inputs, output, more)                                        \
  "{'type': '" type "', 'inputs': [" inputs "], 'outputs': ['" output "']"    \
  more "}"
#define ATTRS(text) ", 'attrs': {" text "}"
#define TURN(in, out, perm)                                                   \
  OP ("Transpose", in, out, ATTRS ("'perm': [" perm "]"))

static const char *const blocks[] = {
  OP ("Conv", "'%', 'w', 'b'", "y$", ATTRS ("'pads': [1, 1, 1, 1]")),
  OP ("Conv", "'%', 'w'", "c$", ATTRS ("'pads': [1, 1, 1, 1]")) ", "
  OP ("BatchNormalization", "'c$', 's', 'b', 'b', 'v'", "y$", ""),
  OP ("Identity", "'%'", "y$", ""),
  OP ("Dropout", "'%'", "y$", ""),
  OP ("Relu", "'%'", "y$", ""),
  OP ("BatchNormalization", "'%', 's', 'b', 'b', 'v'", "y$", ""),
  OP ("Add", "'%', 'x'", "y$", ""),
  OP ("Sigmoid", "'%'", "g$", "") ", " OP ("Mul", "'%', 'g$'", "y$", ""),
  OP ("Div", "'%', 'root'", "a$", "") ", " OP ("Erf", "'a$'", "e$", "") ", "
  OP ("Add", "'e$', 'one'", "p$", "") ", " OP ("Mul", "'%', 'p$'", "q$", "")
  ", " OP ("Mul", "'q$', 'half'", "y$", ""),
  OP ("ReduceMean", "'%'", "m$", ATTRS ("'axes': [-1]")) ", "
  OP ("Sub", "'%', 'm$'", "d$", "") ", " OP ("Mul", "'d$', 'd$'", "q$", "")
  ", " OP ("ReduceMean", "'q$'", "r$", ATTRS ("'axes': [-1]")) ", "
  OP ("Add", "'r$', 'epsilon'", "t$", "") ", " OP ("Sqrt", "'t$'", "u$", "")
  ", " OP ("Div", "'d$', 'u$'", "y$", ""),
  OP ("Mul", "'%', '%'", "q$", "") ", "
  OP ("ReduceMean", "'q$'", "r$", ATTRS ("'axes': [-1]")) ", "
  OP ("Add", "'r$', 'epsilon'", "t$", "") ", " OP ("Sqrt", "'t$'", "u$", "")
  ", " OP ("Div", "'%', 'u$'", "y$", ""),
  TURN ("'%'", "t$", "0, 2, 3, 1") ", " OP ("Tanh", "'t$'", "u$", "") ", "
  TURN ("'u$'", "y$", "0, 3, 1, 2"),
  TURN ("'%'", "t$", "0, 1, 3, 2") ", "
  OP ("MatMul", "'%', 't$'", "m$", "") ", " OP ("Tanh", "'m$'", "y$", ""),
  OP ("MatMul", "'%', '%'", "m$", "") ", " TURN ("'m$'", "t$", "0, 2, 1, 3")
  ", " OP ("Tanh", "'t$'", "u$", "") ", " TURN ("'u$'", "y$", "0, 2, 1, 3"),
  OP ("Reshape", "'%', 'flat'", "f$", "") ", "
  OP ("Reshape", "'f$', 'shape'", "y$", ""),
  OP ("Resize", "'%', '', 'scales'", "r$", ATTRS ("'mode': 'linear'")) ", "
  OP ("AveragePool", "'r$'", "y$",
      ATTRS ("'kernel_shape': [2, 2], 'strides': [2, 2]")),
  OP ("QuantizeLinear", "'%', 'fine', 'middle'", "q$", "") ", "
  OP ("ConvInteger", "'q$', 'whole', 'middle'", "i$", "") ", "
  OP ("Cast", "'i$'", "f$", ATTRS ("'to': 1")) ", "
  OP ("CastLike", "'f$', 'one'", "c$", "") ", "
  OP ("Mul", "'c$', 'epsilon'", "m$", "") ", " OP ("Tanh", "'m$'", "y$", ""),
  OP ("ScatterND", "'%', 'indices', 'updates'", "y$", ""),
};

static const char head[]
    = "{'format': 'tplan-graph/1', 'opset': 13, 'inputs': [{'name': 'x', "
      "'shape': [2, 4, 6, 6]}], 'initializers': ["
      "{'name': 'w', 'shape': [4, 4, 3, 3], 'random': {'seed': 1, 'std': 0.2}},"
      "{'name': 'b', 'shape': [4], 'random': {'seed': 2}}, "
      "{'name': 's', 'shape': [4], 'data': [1, 0.5, -0.5, 1.5]}, "
      "{'name': 'v', 'shape': [4], 'data': [1, 0.25, 4, 2]}, "
      "{'name': 'root', 'shape': [], 'data': [1.41421354]}, "
      "{'name': 'one', 'shape': [], 'data': [1]}, "
      "{'name': 'half', 'shape': [], 'data': [0.5]}, "
      "{'name': 'epsilon', 'shape': [], 'data': [0.001]}, "
      "{'name': 'fine', 'shape': [], 'data': [0.02]}, "
      "{'name': 'middle', 'dtype': 'uint8', 'shape': [], 'data': [120]}, "
      "{'name': 'whole', 'dtype': 'int8', 'shape': [4, 4, 1, 1], 'data': "
      "[9, -7, 4, 2, -128, 127, 3, 1, 0, 5, -6, 8, 11, -1, 2, 2]}, "
      "{'name': 'flat', 'dtype': 'int64', 'shape': [2], 'data': [2, -1]}, "
      "{'name': 'shape', 'dtype': 'int64', 'shape': [4], 'data': [2, 4, 6, 6]},"
      "{'name': 'scales', 'dtype': 'float32', 'shape': [4], "
      "'data': [1, 1, 2, 2]}, "
      "{'name': 'indices', 'dtype': 'int64', 'shape': [2, 2], 'data': "
      "[1, 3, 0, 2]}, "
      "{'name': 'updates', 'shape': [2, 6, 6], 'random': {'seed': 3}}], "
      "'ops': [";

typedef struct
{
  GString *text;
  int n;                      /* blocks written */
} Model;

static void
add_block (Model *model, int block, int input)
{
  g_autofree char *number = g_strdup_printf ("%d", model->n);
  g_autofree char *before
      = input < 0 ? g_strdup ("x") : g_strdup_printf ("y%d", input);

  g_string_append (model->text, model->n > 0 ? ", " : "");
  for (const char *c = blocks[block]; *c != 0; c++)
    if (*c == '%')
      g_string_append (model->text, before);
    else if (*c == '$')
      g_string_append (model->text, number);
    else
      g_string_append_c (model->text, *c);
  model->n++;
}

/* Where no type is said it is @real. */
static char *
set_real (const char *text, TpDtype real)
{
  g_autoptr (GRegex) names
      = g_regex_new ("('name': '[a-z]+'), 'shape'", 0, 0, NULL);
  g_autofree char *typed = g_strdup_printf ("\\1, 'dtype': '%s', 'shape'",
                                            tp_dtype_get_name (real));

  return g_regex_replace (names, text, -1, 0, typed, 0, NULL);
}

/* The last block is an output, and block @other. */
static TpGraph *
finish (Model *model, TpDtype real, int other)
{
  g_autoptr (GString) untyped = model->text;
  g_autofree char *text = NULL;

  g_string_append_printf (untyped, "], 'outputs': ['y%d'", model->n - 1);
  if (other < model->n - 1)
    g_string_append_printf (untyped, ", 'y%d'", other);
  g_string_append (untyped, "]}");
  text = set_real (untyped->str, real);
  return test_load_quoted (text);
}

TpGraph *
random_model (int n_blocks)
{
  return random_model_of (TPLAN_DTYPE_FLOAT32, n_blocks);
}

TpGraph *
random_model_of (TpDtype real, int n_blocks)
{
  Model model = { g_string_new (head), 0 };

  for (int i = 0; i < n_blocks; i++)
    {
      gboolean is_next = g_test_rand_int_range (0, 5) > 0;

      add_block (&model, g_test_rand_int_range (0, G_N_ELEMENTS (blocks)),
                 is_next ? i - 1 : g_test_rand_int_range (-1, i));
    }
  return finish (&model, real, g_test_rand_int_range (0, n_blocks));
}

TpGraph *
full_model (void)
{
  Model model = { g_string_new (head), 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (blocks); i++)
    add_block (&model, i, (int) i - 1);
  return finish (&model, TPLAN_DTYPE_FLOAT32, model.n - 1);
}
