/* kernel-opencl-preamble.c: what printed kernels use: sums over lanes in the
 * order of the other back ends, masked access, and what integers do where C has
 * no answer. */
#include "config.h"

#include "kernel/kernel-opencl-preamble.h"

/* Halves are combined until one lane is left. */
#define FLOAT_LANES(n, half)                                                   \
  "static float tp_sum_float" #n " (float" #n " v)\n"                          \
  "{ return tp_sum_float" #half " (v.lo + v.hi); }\n"                          \
  "static float tp_max_float" #n " (float" #n " v)\n"                          \
  "{ return tp_max_float" #half " (v.lo > v.hi ? v.lo : v.hi); }\n"            \
  "static float tp_min_float" #n " (float" #n " v)\n"                          \
  "{ return tp_min_float" #half " (v.lo < v.hi ? v.lo : v.hi); }\n"

#define LONG_LANES(n, half)                                                    \
  "static long tp_sum_long" #n " (long" #n " v)\n"                             \
  "{ return tp_sum_long" #half " (as_long" #half " (\n"                        \
  "    as_ulong" #half " (v.lo) + as_ulong" #half " (v.hi))); }\n"             \
  "static long tp_max_long" #n " (long" #n " v)\n"                             \
  "{ return tp_max_long" #half " (max (v.lo, v.hi)); }\n"                      \
  "static long tp_min_long" #n " (long" #n " v)\n"                             \
  "{ return tp_min_long" #half " (min (v.lo, v.hi)); }\n"

/* Division by 0 is 0, and no pair of operands may trap. What is out of range or
 * no number is never converted. select() and not ?: by a mask that was just
 * compared, which oclgrind gets wrong. */
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
  "{ return x % tp_divisor_long" #n " (y); }\n"                                \
  "static long" #n " tp_truncate_long" #n " (float" #n " x)\n"                 \
  "{\n"                                                                        \
  "  const float" #n " in =\n"                                                 \
  "    x >= -0x1p63f && x < 0x1p63f ? x : (float" #n ") (0);\n"                \
  "  const long" #n " v = convert_long" #n " (x >= 0x1p63f)\n"                 \
  "    ? (long" #n ") (LONG_MAX) : convert_long" #n " (in);\n"                 \
  "  return convert_long" #n " (x < -0x1p63f) ? (long" #n ") (LONG_MIN) : v;\n" \
  "}\n"

#define LOAD_LANE(i) "  if (m.s" #i ") v.s" #i " = p[0x" #i "];\n"
#define STORE_LANE(i) "  if (m.s" #i ") p[0x" #i "] = v.s" #i ";\n"
#define LANES4(what) what (0) what (1) what (2) what (3)
#define LANES8(what) LANES4 (what) what (4) what (5) what (6) what (7)
#define LANES16(what)                                                          \
  LANES8 (what)                                                                \
  what (8) what (9) what (a) what (b) what (c) what (d) what (e) what (f)

#define MASKED(n, type, space)                                                 \
  "static " #type #n " tp_load_" #type #n "_" #space " (__" #space             \
  " const " #type " *p, int" #n " m)\n"                                        \
  "{\n  " #type #n                                                             \
  " v = 0;\n" LANES##n (LOAD_LANE) "  return v;\n}\n"                          \
                                   "static void tp_store_" #type #n "_" #space \
                                   " (__" #space " " #type " *p, " #type #n    \
                                   " v, int" #n " m)\n"                        \
                                   "{\n" LANES##n (STORE_LANE) "}\n"
#define MASKED_WIDTHS(type, space)                                             \
  MASKED (4, type, space) MASKED (8, type, space) MASKED (16, type, space)
#define MASKED_SPACES(type)                                                    \
  MASKED_WIDTHS (type, global) MASKED_WIDTHS (type, local)

/* clang-format off */
static const char preamble[] =
  "#pragma OPENCL FP_CONTRACT OFF\n"
  "#ifdef __clang__ /* x == x asks whether x is a number */\n"
  "#pragma clang diagnostic ignored \"-Wtautological-compare\"\n"
  "#endif\n"
  "#define TP_IOTA_4 ((int4) (0, 1, 2, 3))\n"
  "#define TP_IOTA_8 ((int8) (0, 1, 2, 3, 4, 5, 6, 7))\n"
  "#define TP_IOTA_16 ((int16) (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))\n"
  "static float tp_sum_float2 (float2 v) { return v.x + v.y; }\n"
  "static float tp_max_float2 (float2 v) { return v.x > v.y ? v.x : v.y; }\n"
  "static float tp_min_float2 (float2 v) { return v.x < v.y ? v.x : v.y; }\n"
  FLOAT_LANES (4, 2)
  FLOAT_LANES (8, 4)
  FLOAT_LANES (16, 8)
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
  MASKED_SPACES (float)
  MASKED_SPACES (long)
  MASKED_SPACES (int)
  MASKED_SPACES (uchar);
/* clang-format on */

const char *
tp_opencl_preamble (void)
{
  return preamble;
}
