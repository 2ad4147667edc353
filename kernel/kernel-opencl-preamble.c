/* kernel-opencl-preamble.c: what printed kernels use: sums over lanes in the
 * order of the other back ends, masked access, and what integers do where C has
 * no answer. */
#include "config.h"

#include "kernel/kernel-opencl-preamble.h"

#include "ir/dtype.h"
#include "ir/text.h"

#include <string.h>

/* Halves are combined until one lane is left. */
#define REAL_LANES(type, n, half)                                              \
  "static " type " tp_sum_" type #n " (" type #n " v)\n"                       \
  "{ return tp_sum_" type #half " (v.lo + v.hi); }\n"                          \
  "static " type " tp_max_" type #n " (" type #n " v)\n"                       \
  "{ return tp_max_" type #half " (v.lo > v.hi ? v.lo : v.hi); }\n"            \
  "static " type " tp_min_" type #n " (" type #n " v)\n"                       \
  "{ return tp_min_" type #half " (v.lo < v.hi ? v.lo : v.hi); }\n"

#define REALS(type)                                                            \
  "static " type " tp_sum_" type "2 (" type "2 v) { return v.x + v.y; }\n"     \
  "static " type " tp_max_" type "2 (" type "2 v)\n"                           \
  "{ return v.x > v.y ? v.x : v.y; }\n"                                        \
  "static " type " tp_min_" type "2 (" type "2 v)\n"                           \
  "{ return v.x < v.y ? v.x : v.y; }\n"                                        \
  REAL_LANES (type, 4, 2) REAL_LANES (type, 8, 4) REAL_LANES (type, 16, 8)

#define LONG_LANES(n, half)                                                    \
  "static long tp_sum_long" #n " (long" #n " v)\n"                             \
  "{ return tp_sum_long" #half " (as_long" #half " (\n"                        \
  "    as_ulong" #half " (v.lo) + as_ulong" #half " (v.hi))); }\n"             \
  "static long tp_max_long" #n " (long" #n " v)\n"                             \
  "{ return tp_max_long" #half " (max (v.lo, v.hi)); }\n"                      \
  "static long tp_min_long" #n " (long" #n " v)\n"                             \
  "{ return tp_min_long" #half " (min (v.lo, v.hi)); }\n"

/* Division by 0 is 0, and no pair of operands may trap. select() and not ?: by a mask
 * that was just compared, which oclgrind gets wrong. */
#define INTEGERS(n)                                                            \
  "static long" #n " tp_divisor_long" #n " (long" #n " y)\n"                   \
  "{ return select (y, (long" #n ") (1),\n"                                    \
  "                 convert_long" #n " ((y == 0L) | (y == -1L))); }\n"         \
  "static long" #n " tp_divide_long" #n " (long" #n " x, long" #n " y)\n"      \
  "{\n"                                                                        \
  "  const long" #n " q = x / tp_divisor_long" #n " (y);\n"                    \
  "  const long" #n " m = as_long" #n " ((ulong" #n ") (0)"                    \
  " - as_ulong" #n " (x));\n"                                                  \
  "  return y == 0L ? (long" #n ") (0) : y == -1L ? m : q;\n"                  \
  "}\n"                                                                        \
  "static long" #n " tp_modulo_long" #n " (long" #n " x, long" #n " y)\n"      \
  "{ return x % tp_divisor_long" #n " (y); }\n"

/* What is out of range or no number is never converted. */
#define TRUNCATE(n, type, suffix)                                              \
  "static long" #n " tp_truncate_long" #n suffix " (" type #n " x)\n"          \
  "{\n"                                                                        \
  "  const " type #n " in =\n"                                                 \
  "    x >= -0x1p63f && x < 0x1p63f ? x : (" type #n ") (0);\n"                \
  "  const long" #n " v = convert_long" #n " (x >= 0x1p63f)\n"                 \
  "    ? (long" #n ") (LONG_MAX) : convert_long" #n " (in);\n"                 \
  "  return convert_long" #n " (x < -0x1p63f) ? (long" #n ") (LONG_MIN) : v;\n" \
  "}\n"

#define TRUNCATES(type, suffix)                                                \
  TRUNCATE (, type, suffix) TRUNCATE (4, type, suffix)                         \
  TRUNCATE (8, type, suffix) TRUNCATE (16, type, suffix)

/* The upper half of a float, rounded to the nearest, ties to even; NaN stays NaN.
 * @l: lanes in names. */
#define BFLOATS(n, l)                                                          \
  "static float" #n " tp_widen_bfloat" #l " (ushort" #n " v)\n"                \
  "{ return as_float" #n " (convert_uint" #n " (v) << 16); }\n"                \
  "static ushort" #n " tp_narrow_bfloat" #l " (float" #n " v)\n"               \
  "{\n"                                                                        \
  "  const uint" #n " bits = as_uint" #n " (v), size = bits & 0x7fffffffu;\n"  \
  "  const uint" #n " odd = (size >> 16) & 1u;\n"                              \
  "  const uint" #n " near = (size + 0x7fffu + odd) >> 16;\n"                  \
  "  const uint" #n " kept\n"                                                  \
  "    = select (near, (uint" #n ") (0x7fc0u), size > 0x7f800000u);\n"         \
  "  return convert_ushort" #n " (kept | ((bits >> 16) & 0x8000u));\n"         \
  "}\n"

/* By way of a vector that lies as one: PoCL 3.1 takes for granted that what is given to
 * vload_half and vstore_half of vectors does. */
#define HALVES(n)                                                              \
  "static float" #n " tp_widen_half" #n " (ushort" #n " v)\n"                  \
  "{ return vloada_half" #n " (0, (const __private half *) &v); }\n"           \
  "static ushort" #n " tp_narrow_half" #n " (float" #n " v)\n"                 \
  "{\n"                                                                        \
  "  ushort" #n " bits;\n"                                                     \
  "  vstorea_half" #n "_rte (v, 0, (__private half *) &bits);\n"               \
  "  return bits;\n"                                                           \
  "}\n"

/* Sums of four products fit, and what is added to wraps. */
#define DOTS(n)                                                                \
  "static int" #n " tp_dot4_int" #n " (int" #n " a, int" #n " b, int" #n       \
  " c)\n"                                                                      \
  "{\n"                                                                        \
  "  const uint" #n " x = as_uint" #n " (a), y = as_uint" #n " (b);\n"         \
  "  const int" #n " sum\n"                                                    \
  "    = as_int" #n " (x & 255u) * (as_int" #n " (y << 24) >> 24)\n"           \
  "    + as_int" #n " ((x >> 8) & 255u) * (as_int" #n " (y << 16) >> 24)\n"    \
  "    + as_int" #n " ((x >> 16) & 255u) * (as_int" #n " (y << 8) >> 24)\n"    \
  "    + as_int" #n " (x >> 24) * (b >> 24);\n"                                \
  "  return as_int" #n " (as_uint" #n " (c) + as_uint" #n " (sum));\n"         \
  "}\n"

/* TF32 of sm_80 and later, by two of its instructions: of even and of odd columns, so
 * that two of what an item reads lie together, as do four of its results. Without TP_MMA
 * each item makes its results by itself, in the order of the interpreter. */
#define MMA                                                                    \
  "#define TP_MMA_PAIR(p) as_ulong (*(__local const float2 *) (p))\n"          \
  "static float8 tp_mma (__local const float *a, int na,\n"                    \
  "                      __local const float *b, int nb, float8 c)\n"          \
  "{\n"                                                                        \
  "  const int item = get_local_id (0) & 31, r = item >> 2, t = item & 3;\n"   \
  "#ifdef TP_MMA\n"                                                            \
  "  __local const float *x = a + t * na + 2 * r, *y = b + t * nb + 2 * r;\n"  \
  "  const ulong x0 = TP_MMA_PAIR (x);\n"                                      \
  "  const ulong x4 = TP_MMA_PAIR (x + 4 * na);\n"                             \
  "  const ulong y0 = TP_MMA_PAIR (y);\n"                                      \
  "  const ulong y4 = TP_MMA_PAIR (y + 4 * nb);\n"                             \
  MMA_HALF ("02", "46", "")                                                    \
  MMA_HALF ("13", "57", " >> 32")                                              \
  "#else\n"                                                                    \
  "  for (int k = 0; k < 8; k++) {\n"                                          \
  "    const float2 p = vload2 (0, a + k * na + 2 * r);\n"                     \
  "    c = fma (p.s00001111, vload4 (0, b + k * nb + 4 * t).s01230123, c);\n"  \
  "  }\n"                                                                      \
  "#endif\n"                                                                   \
  "  return c;\n"                                                              \
  "}\n"

/* Columns @low of both rows, whose lanes are @low and @high. */
#define MMA_HALF(low, high, part)                                              \
  "  {\n"                                                                      \
  "    float4 d = (float4) (c.s" low ", c.s" high ");\n"                        \
  "    __asm__ (\n"                                                            \
  "      \"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 \"\n"            \
  "      \"{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "                     \
  "{%0, %1, %2, %3};\"\n"                                                      \
  "      : \"+f\" (d.x), \"+f\" (d.y), \"+f\" (d.z), \"+f\" (d.w)\n"           \
  "      : \"r\" ((uint) x0), \"r\" ((uint) (x0 >> 32)),\n"                    \
  "        \"r\" ((uint) x4), \"r\" ((uint) (x4 >> 32)),\n"                    \
  "        \"r\" ((uint) (y0" part ")), \"r\" ((uint) (y4" part ")));\n"       \
  "    c.s" low " = d.lo, c.s" high " = d.hi;\n"                               \
  "  }\n"

/* clang-format off */
static const char common[] =
  "#pragma OPENCL FP_CONTRACT OFF\n"
  "#ifdef __clang__ /* x == x asks whether x is a number */\n"
  "#pragma clang diagnostic ignored \"-Wtautological-compare\"\n"
  "#if __has_warning (\"-Wpsabi\") /* vectors of two registers */\n"
  "#pragma clang diagnostic ignored \"-Wpsabi\"\n"
  "#endif\n"
  "#endif\n"
  "#define TP_IOTA_4 ((int4) (0, 1, 2, 3))\n"
  "#define TP_IOTA_8 ((int8) (0, 1, 2, 3, 4, 5, 6, 7))\n"
  "#define TP_IOTA_16 ((int16) (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))\n"
  REALS ("float")
  "static long tp_sum_long2 (long2 v)\n"
  "{ return as_long (as_ulong (v.x) + as_ulong (v.y)); }\n"
  "static long tp_max_long2 (long2 v) { return max (v.x, v.y); }\n"
  "static long tp_min_long2 (long2 v) { return min (v.x, v.y); }\n"
  LONG_LANES (4, 2)
  LONG_LANES (8, 4)
  LONG_LANES (16, 8)
  INTEGERS ()
  INTEGERS (4)
  INTEGERS (8)
  INTEGERS (16)
  TRUNCATES ("float", "")
  BFLOATS (, 1)
  BFLOATS (4, 4)
  BFLOATS (8, 8)
  BFLOATS (16, 16)
  HALVES (4)
  HALVES (8)
  HALVES (16)
  DOTS ()
  DOTS (4)
  DOTS (8)
  DOTS (16)
  MMA;

/* Of a device that has them. */
#define WHERE_DOUBLES "#ifdef cl_khr_fp64\n"

/* PoCL 3.1 has infinities where one of 8 or 16 bases is 0. */
#define POWERS(n, half)                                                        \
  "static double" #n " tp_pow_double" #n " (double" #n " x, double" #n " y)\n"  \
  "{\n"                                                                        \
  "  return (double" #n ") (tp_pow_double" #half " (x.lo, y.lo),\n"            \
  "                         tp_pow_double" #half " (x.hi, y.hi));\n"           \
  "}\n"

static const char doubles[] =
  WHERE_DOUBLES
  "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
  REALS ("double")
  TRUNCATES ("double", "_of_double")
  "#define tp_pow_double pow\n"
  "static double2 tp_pow_double2 (double2 x, double2 y)\n"
  "{ return (double2) (pow (x.lo, y.lo), pow (x.hi, y.hi)); }\n"
  POWERS (4, 2)
  POWERS (8, 4)
  POWERS (16, 8)
  "#endif\n";
/* clang-format on */

/* What an element in memory is, and in a vector: "half", "float". */
typedef struct
{
  const char *memory, *value;
  const char *load, *store;   /* formats, of a lane twice */
} Element;

static void
add_lanes (GString *text, int n, const char *format)
{
  for (guint i = 0; i < (guint)n; i++)
    {
      tp_text_append_printf (text, "  if (m.s%x) ", i);
      tp_text_append_printf (text, format, i, i);
    }
}

static void
add_masked (GString *text, const Element *element, const char *space, int n)
{
  const char *type = element->memory, *value = element->value;

  tp_text_append_printf (text,
                         "static %s%d tp_load_%s%d_%s (__%s const %s *p, "
                         "int%d m)\n{\n  %s%d v = 0;\n",
                         value, n, type, n, space, space, type, n, value, n);
  add_lanes (text, n, element->load);
  tp_text_append_printf (text,
                         "  return v;\n}\n"
                         "static void tp_store_%s%d_%s (__%s %s *p, %s%d v, "
                         "int%d m)\n{\n",
                         type, n, space, space, type, value, n, n);
  add_lanes (text, n, element->store);
  tp_text_append (text, "}\n");
}

static void
add_all_masked (GString *text, const Element *element)
{
  static const char *const spaces[] = { "global", "local" };

  for (guint k = 0; k < G_N_ELEMENTS (spaces); k++)
    for (int n = 4; n <= 16; n *= 2)
      add_masked (text, element, spaces[k], n);
}

/* Types that one C type stands for have functions once. */
static gboolean
is_first (TpDtype dtype)
{
  for (int i = 0; i < (int)dtype; i++)
    if (strcmp (tp_dtype_get (i)->opencl, tp_dtype_get (dtype)->opencl) == 0)
      return FALSE;
  return TRUE;
}

static char *
make_preamble (void)
{
  const Element half = { "half", "float", "v.s%x = vload_half (0x%x, p);\n",
                         "vstore_half_rte (v.s%x, 0x%x, p);\n" };
  g_autoptr (GString) text = g_string_new (NULL);

  tp_text_append (text, common);
  tp_text_append (text, doubles);
  for (int i = 0; i < tp_dtype_count (); i++)
    {
      const char *type = tp_dtype_get (i)->opencl;
      const Element plain = { type, type, "v.s%x = p[0x%x];\n",
                              "p[0x%2$x] = v.s%1$x;\n" };

      gboolean is_double = i == TPLAN_DTYPE_FLOAT64;

      if (!is_first (i))
        continue;
      tp_text_append (text, is_double ? WHERE_DOUBLES : "");
      add_all_masked (text, &plain);
      tp_text_append (text, is_double ? "#endif\n" : "");
    }
  add_all_masked (text, &half);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Not by GOnce, which may not be left by unwinding. */
const char *
tp_opencl_preamble (void)
{
  static char *made; /* (owned for ever) */
  char *text = g_atomic_pointer_get (&made);

  if (text != NULL)
    return text;
  text = make_preamble ();
  if (g_atomic_pointer_compare_and_exchange (&made, NULL, text))
    return text;
  g_free (text); /* another thread was first */
  return g_atomic_pointer_get (&made);
}
