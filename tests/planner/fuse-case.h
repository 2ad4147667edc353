/* fuse-case.h: small graphs, and what of them is fused. */
#ifndef TP_TESTS_FUSE_CASE_H
#define TP_TESTS_FUSE_CASE_H

#include "ir/costs.h"

/* x [1,8,6,6] is the input, w weights of a 1x1 Conv, c one number a channel, m
 * and n are matrices, v a vector, u3 what RNN takes. */
#define HEAD                                                                  \
  "{\"format\":\"tplan-graph/1\",\"name\":\"fuse\",\"opset\":17,"             \
  "\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"shape\":[1,8,6,6]},"   \
  "{\"name\":\"m\",\"dtype\":\"float32\",\"shape\":[4,4]},"                   \
  "{\"name\":\"v\",\"dtype\":\"float32\",\"shape\":[4]},"                     \
  "{\"name\":\"i\",\"dtype\":\"int64\",\"shape\":[4,4]},"                     \
  "{\"name\":\"j\",\"dtype\":\"int64\",\"shape\":[4]},"                       \
  "{\"name\":\"s32\",\"dtype\":\"int32\",\"shape\":[4,4]},"                   \
  "{\"name\":\"h\",\"dtype\":\"float16\",\"shape\":[4,4]}],"                   \
  "\"initializers\":[" WEIGHTS ("w", "[8,8,1,1]") "," WEIGHTS ("c", "[8]")    \
  "," WEIGHTS ("n", "[4,4]") "," WEIGHTS ("k", "[8,1,3,3]") ","             \
  WEIGHTS ("u3", "[1,4,4]") ","                                               \
  "{\"name\":\"split\",\"dtype\":\"int64\",\"shape\":[3],"                 \
  "\"data\":[4,2,2]}],"
#define WEIGHTS(name, shape)                                                  \
  "{\"name\":\"" name "\",\"dtype\":\"float32\",\"shape\":" shape             \
  ",\"fill\":0.5}"
#define OP(name, type, inputs, more)                                          \
  "{\"name\":\"" name "\",\"type\":\"" type "\",\"inputs\":[" inputs          \
  "],\"outputs\":[\"" name "\"]" more "}"
#define Q(name) "\"" name "\""
#define CONV(name, in) OP (name, "Conv", Q (in) "," Q ("w"), "")
#define RELU(name, in) OP (name, "Relu", Q (in), "")
#define ADD(name, a, b) OP (name, "Add", Q (a) "," Q (b), "")
#define RESHAPE(name, in) OP (name, "Reshape", Q (in) "," Q ("split"), "")
#define MATMUL(name, a, b) OP (name, "MatMul", Q (a) "," Q (b), "")
#define SOFTMAX(name, in) OP (name, "Softmax", Q (in), "")
#define SCORES(name, sum) MATMUL (name, "m", "n") "," ADD (sum, name, "m")
#define RNN(name)                                                             \
  OP (name, "RNN", Q ("u3") "," Q ("u3") "," Q ("u3"), ",\"attrs\":{\"hidden_size\":4}")
#define JOIN(name, parts) OP (name, "Concat", parts, ",\"attrs\":{\"axis\":1}")
#define NORM(name, in)                                                        \
  OP (name, "BatchNormalization",                                             \
      Q (in) "," Q ("c") "," Q ("c") "," Q ("c") "," Q ("c"), "")

typedef struct
{
  const char *name;
  const char *outputs;
  const char *ops;
  const char *groups;         /* "a+b c+d" */
  const char *disabled;       /* one rule, or NULL */
} FuseCase;

TpGraph *fuse_case_load (const FuseCase *it);
/* "a+b c+d" */
char *fuse_case_write (const TpGroups *groups, const TpGraph *graph);
/* That the checker finds the groups that the planner finds; _all: whatever rules are
 * left out. */
void fuse_case_compare (const TpGraph *graph, const char *const *left_out);
void fuse_case_compare_all (const TpGraph *graph);

/* Gives @graph groups with costs, some of them as the rules make them. All it makes is
 * the graph's. */
void fuse_case_give (TpGraph *graph);

#endif
