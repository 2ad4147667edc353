/* kernel-opencl-preamble.c: what printed kernels use: sums over lanes in the
 * order of the other back ends, and masked access. */
#include "config.h"

#include "codegen/kernel.h"

/* Halves are combined until one lane is left. */
#define REDUCTION(n, half)                                                     \
  "static float tp_sum" #n " (float" #n " v)\n"                                \
  "{ return tp_sum" #half " (v.lo + v.hi); }\n"                                \
  "static float tp_max" #n " (float" #n " v)\n"                                \
  "{ return tp_max" #half " (v.lo > v.hi ? v.lo : v.hi); }\n"                  \
  "static float tp_min" #n " (float" #n " v)\n"                                \
  "{ return tp_min" #half " (v.lo < v.hi ? v.lo : v.hi); }\n"

#define LOAD_LANE(i) "  if (m.s" #i ") v.s" #i " = p[0x" #i "];\n"
#define STORE_LANE(i) "  if (m.s" #i ") p[0x" #i "] = v.s" #i ";\n"
#define LANES4(what) what (0) what (1) what (2) what (3)
#define LANES8(what) LANES4 (what) what (4) what (5) what (6) what (7)
#define LANES16(what)                                                          \
  LANES8 (what)                                                                \
  what (8) what (9) what (a) what (b) what (c) what (d) what (e) what (f)

#define MASKED(n, space)                                                       \
  "static float" #n " tp_load" #n "_" #space " (__" #space                     \
  " const float *p, int" #n " m)\n"                                            \
  "{\n  float" #n                                                              \
  " v = 0;\n" LANES##n (LOAD_LANE) "  return v;\n}\n"                          \
                                   "static void tp_store" #n "_" #space        \
                                   " (__" #space " float *p, float" #n         \
                                   " v, int" #n " m)\n"                        \
                                   "{\n" LANES##n (STORE_LANE) "}\n"

/* clang-format off */
static const char preamble[] =
  "#pragma OPENCL FP_CONTRACT OFF\n"
  "#ifdef __clang__ /* x == x asks whether x is a number */\n"
  "#pragma clang diagnostic ignored \"-Wtautological-compare\"\n"
  "#endif\n"
  "#define TP_IOTA_4 ((int4) (0, 1, 2, 3))\n"
  "#define TP_IOTA_8 ((int8) (0, 1, 2, 3, 4, 5, 6, 7))\n"
  "#define TP_IOTA_16 ((int16) (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))\n"
  "static float tp_sum2 (float2 v) { return v.x + v.y; }\n"
  "static float tp_max2 (float2 v) { return v.x > v.y ? v.x : v.y; }\n"
  "static float tp_min2 (float2 v) { return v.x < v.y ? v.x : v.y; }\n"
  REDUCTION (4, 2)
  REDUCTION (8, 4)
  REDUCTION (16, 8)
  MASKED (4, global)
  MASKED (8, global)
  MASKED (16, global)
  MASKED (4, local)
  MASKED (8, local)
  MASKED (16, local);
/* clang-format on */

const char *
tp_opencl_preamble (void)
{
  return preamble;
}
