/* random-join.c: see random-join.h. */
#include "config.h"

#include "random-join.h"

#include <string.h>

#define INT g_test_rand_int_range
#define RANK 4
#define MAX_PARTS 5

typedef struct
{
  GString *first;             /* inputs, and the ops that begin a chain */
  GString *second;            /* ops behind these */
  int dims[RANK];             /* of the part being made */
  int number;                 /* of that part */
  const char *type;           /* of all */
} Join;

static gboolean
is_real (const Join *join)
{
  return strcmp (join->type, "in") == 0;
}

/* Of these what is made is stored at once. */
static gboolean
is_narrow (const Join *join)
{
  return strcmp (join->type, "int32") == 0;
}

/* Around and across the widths of vectors. */
static int
pick_size (int most)
{
  return INT (0, 3) == 0 ? CLAMP (16 * INT (1, 3) + INT (-1, 2), 1, most)
                         : INT (1, MIN (most, 9) + 1);
}

static void
add_shape (GString *text, const int *dims)
{
  for (int i = 0; i < RANK; i++)
    g_string_append_printf (text, " %d", dims[i]);
  g_string_append_c (text, ';');
}

static void
add_input (Join *join, const char *type, const char *name, const int *dims)
{
  g_string_append_printf (join->first, "%s %s%d", type, name, join->number);
  add_shape (join->first, dims);
}

/* ---- parts: each makes p<number> of x<number> ------------------------------- */

static void
make_conv (Join *join)
{
  int n = join->number, kernel = INT (0, 2) ? 1 : 3;
  int dims[RANK] = { join->dims[0], pick_size (20), join->dims[2], join->dims[3] };

  add_input (join, "in", "x", dims);
  g_string_append_printf (
      join->first, "const w%d %d %d %d %d;Conv x%d w%d -> p%d pads=%d,%d,%d,%d;",
      n, join->dims[1], dims[1], kernel, kernel, n, n, n, kernel / 2, kernel / 2,
      kernel / 2, kernel / 2);
}

static void
make_matmul (Join *join)
{
  int n = join->number, depth = pick_size (20);
  int dims[RANK] = { join->dims[0], join->dims[1], join->dims[2], depth };

  add_input (join, "in", "x", dims);
  g_string_append_printf (join->first, "const w%d %d %d;MatMul x%d w%d -> p%d;", n,
                          depth, join->dims[3], n, n, n);
}

static void
make_pool (Join *join)
{
  int n = join->number;

  add_input (join, "in", "x", join->dims);
  g_string_append_printf (join->first,
                          "%sPool x%d -> p%d kernel_shape=3,3 pads=1,1,1,1;",
                          INT (0, 2) ? "Max" : "Average", n, n);
}

static void
make_softmax (Join *join)
{
  int n = join->number;

  add_input (join, "in", "x", join->dims);
  g_string_append_printf (join->first, "Softmax x%d -> p%d axis=%d;", n, n,
                          INT (0, RANK));
}

static void
make_map (Join *join)
{
  int n = join->number;

  add_input (join, "in", "x", join->dims);
  g_string_append_printf (join->first, "%s x%d -> p%d;",
                          INT (0, 2) ? "Exp" : "Relu", n, n);
}

static void
make_scaled_conv (Join *join)
{
  int n = join->number;
  int dims[RANK] = { join->dims[0], pick_size (9), join->dims[2], join->dims[3] };

  add_input (join, "in", "x", dims);
  g_string_append_printf (
      join->first,
      "const s%d %d 1 1;Mul x%d s%d -> m%d;const w%d %d %d 1 1;"
      "Conv m%d w%d -> p%d;",
      n, dims[1], n, n, n, n, join->dims[1], dims[1], n, n, n);
}

static void
make_transpose (Join *join)
{
  static const int perm[RANK] = { 0, 2, 3, 1 };
  int n = join->number, dims[RANK];

  for (int i = 0; i < RANK; i++)
    dims[perm[i]] = join->dims[i];
  add_input (join, "in", "x", dims);
  g_string_append_printf (join->first, "Transpose x%d -> p%d perm=0,2,3,1;", n, n);
}

static void
make_integers (Join *join)
{
  int n = join->number;

  add_input (join, join->type, "x", join->dims);
  add_input (join, join->type, "y", join->dims);
  g_string_append_printf (join->first, "%s x%d y%d -> p%d;",
                          INT (0, 2) ? "Add" : "Mul", n, n, n);
}

static void (*const makers[]) (Join *) = {
  make_conv,    make_conv, make_matmul,      make_pool,
  make_softmax, make_map,  make_scaled_conv, make_transpose,
};

/* ---- all of them ---------------------------------------------------------- */

/* Returns what is joined, of that name. */
static char *
add_part (Join *join)
{
  int n = join->number;

  if (is_real (join))
    makers[INT (0, G_N_ELEMENTS (makers))](join);
  else
    make_integers (join);
  if (INT (0, 2) == 0 || is_narrow (join))
    return g_strdup_printf ("p%d", n);
  add_input (join, join->type, "r", join->dims);
  g_string_append_printf (join->second, "Add p%d r%d -> q%d;%s q%d -> e%d;", n, n, n,
                          is_real (join) ? "Relu" : "Neg", n, n);
  return g_strdup_printf ("e%d", n);
}

static char *
add_copy (Join *join)
{
  add_input (join, join->type, "c", join->dims);
  return g_strdup_printf ("c%d", join->number);
}

/* What reads all of it, or nothing. */
static const char *
pick_end (const Join *join)
{
  if (is_narrow (join) || INT (0, 2))
    return "";
  return is_real (join) ? ";Sigmoid z -> e;Mul e z0 -> f" : ";Mul z z -> f";
}

char *
random_join (void)
{
  static const char *const types[] = { "in", "in", "in", "in", "int64", "int32" };
  int n = INT (2, MAX_PARTS + 1), axis = INT (0, RANK), made = INT (0, n), whole = 0;
  Join join = { g_string_new (NULL), g_string_new (NULL),
                { INT (1, 3), pick_size (40), pick_size (9), pick_size (20) }, 0,
                types[INT (0, G_N_ELEMENTS (types))] };
  g_autoptr (GString) names = g_string_new (NULL);
  const char *end = pick_end (&join);

  for (join.number = 1; join.number <= n; join.number++)
    {
      gboolean is_made = join.number == made + 1 || INT (0, 3) > 0;
      g_autofree char *name = NULL;
      gboolean is_twice = !is_made && INT (0, 2) == 0;

      join.dims[axis] = pick_size (axis == 1 ? 40 : 9);
      name = is_made ? add_part (&join) : add_copy (&join);
      g_string_append_printf (names, " %s", name);
      if (is_twice)
        g_string_append_printf (names, " %s", name);
      whole += join.dims[axis] << is_twice;
    }
  join.dims[axis] = whole;
  if (strstr (end, "z0") != NULL)
    {
      join.number = 0;
      add_input (&join, "in", "z", join.dims);
    }
  g_string_append_printf (join.first, "%sConcat%s -> z axis=%d%s", join.second->str,
                          names->str, axis, end);
  g_string_free (join.second, TRUE);
  return g_string_free (join.first, FALSE);
}
