/* onnx-if-support.c: see onnx-if-support.h. */
#include "config.h"

#include "tests/ir/onnx-if-support.h"

#define BOOL 9
#define INT64 7

Msg *
branch_new (Msg **nodes, const char *output, const char *second)
{
  Msg *graph = msg_new ();

  msg_string (graph, 2, "branch");
  for (int i = 0; nodes != NULL && nodes[i] != NULL; i++)
    msg_take (graph, 1, nodes[i]);
  msg_take (graph, 12, value_new (output, 0, NULL));
  if (second != NULL)
    msg_take (graph, 12, value_new (second, 0, NULL));
  return graph;
}

void
add_branch (Msg *node, const char *name, Msg *branch)
{
  Msg *attr = attr_new (name, 5);

  msg_take (attr, 6, branch);
  msg_take (node, 5, attr);
}

Msg *
if_new (const char *condition, Msg *yes, Msg *no, const char *output)
{
  Msg *node = node_new ("If", condition, NULL, output);

  add_branch (node, "else_branch", no);
  add_branch (node, "then_branch", yes);
  return node;
}

static Msg *
bool_new (const char *name, gboolean value)
{
  Msg *tensor = tensor_new (name, BOOL, 0, NULL);

  msg_int (tensor, 5, value);
  return tensor;
}

Msg *
ints_new (const char *name, int n, const gint64 *values)
{
  const gint64 dims[] = { n };
  Msg *tensor = tensor_new (name, INT64, 1, dims);

  for (int i = 0; i < n; i++)
    msg_int (tensor, 7, values[i]);
  return tensor;
}

Msg *
float_new (const char *name, float value)
{
  Msg *tensor = tensor_new (name, 1, 0, NULL);

  msg_float (tensor, 4, value);
  return tensor;
}

void
add_bool_input (Msg *graph, const char *name, int rank, const gint64 *dims)
{
  Msg *value = msg_new (), *type = msg_new (), *tensor = msg_new ();
  Msg *shape = msg_new ();

  for (int i = 0; i < rank; i++)
    {
      Msg *dim = msg_new ();

      msg_int (dim, 1, dims[i]);
      msg_take (shape, 1, dim);
    }
  msg_int (tensor, 1, BOOL);
  msg_take (tensor, 2, shape);
  msg_take (type, 1, tensor);
  msg_string (value, 1, name);
  msg_take (value, 2, type);
  msg_take (graph, 11, value);
}

void
add_condition (Msg *graph, const char *name, Known known)
{
  if (known == ASKED)
    add_bool_input (graph, name, 0, NULL);
  else
    msg_take (graph, 5, bool_new (name, known == TRUE_THEN));
}

Msg *
yes_new (void)
{
  return branch_new (NODES (node_new ("Relu", "x", NULL, "t"),
                            node_new ("Neg", "t", NULL, "o")), "o", NULL);
}

Msg *
no_new (void)
{
  Msg *branch = branch_new (NODES (node_new ("Mul", "x", "x", "t"),
                                   node_new ("Add", "t", "w", "o")), "o", NULL);

  msg_take (branch, 5, float_new ("w", 3));
  return branch;
}
