/* check-vertex.c: names of vertices of the cut network. */
#include "config.h"

#include "planner/check/check-vertex.h"

static gboolean
is_digit (char c)
{
  return c >= '0' && c <= '9';
}

static gboolean
parse_number (const char *text, int limit, int *out, const char **out_rest)
{
  gint64 number = 0;

  if (!is_digit (*text) || (*text == '0' && is_digit (text[1])))
    return FALSE;
  for (; is_digit (*text) && number < limit; text++)
    number = 10 * number + (*text - '0');
  *out = (int) number;
  *out_rest = text;
  return number < limit;
}

/* What numbers of vertices named with @kind are below; 0: there are none. */
static int
find_limit (const TpChecker *checker, char kind)
{
  switch (kind)
    {
    case 'n':
      return checker->graph->n_nodes;
    case 'h':
    case 'd':
      return checker->graph->n_tensors;
    case 'g':
      return checker->costs->n_groups;
    default:
      return 0;
    }
}

gboolean
tp_checker_parse_vertex (const TpChecker *checker, const char *name,
                         TpCheckerVertex *out)
{
  const char *rest = "";

  *out = (TpCheckerVertex){ name[0], 0 };
  if (name[0] == 's' || name[0] == 't')
    return name[1] == 0;
  if (!parse_number (name + 1, find_limit (checker, name[0]), &out->index,
                     &rest))
    return FALSE;
  if (name[0] == 'g')
    {
      out->kind = *rest == 'c' ? 'c' : *rest == 'd' ? 'e' : 0;
      if (out->kind != 0)
        rest++;
    }
  return out->kind != 0 && *rest == 0;
}

gint64
tp_checker_number_vertex (const TpChecker *checker, TpCheckerVertex vertex)
{
  gint64 n_nodes = checker->graph->n_nodes;
  gint64 n_tensors = checker->graph->n_tensors;
  gint64 n_groups = checker->costs->n_groups;

  switch (vertex.kind)
    {
    case 's':
      return 0;
    case 't':
      return 1;
    case 'n':
      return 2 + vertex.index;
    case 'h':
      return 2 + n_nodes + vertex.index;
    case 'd':
      return 2 + n_nodes + n_tensors + vertex.index;
    case 'c':
      return 2 + n_nodes + 2 * n_tensors + vertex.index;
    default:
      return 2 + n_nodes + 2 * n_tensors + n_groups + vertex.index;
    }
}
