/* random-ops.c: sizes around and across vector widths and register tiles, where
 * tails and guards are. */
#include "config.h"

#include "random-ops.h"

#include "../ir/random-join.h"

#define INT g_test_rand_int_range

/* One of 1 to @most, more often small or next to a multiple of 16. */
static int
pick_size (int most)
{
  switch (INT (0, 3))
    {
    case 0:
      return INT (1, MIN (most, 8) + 1);
    case 1:
      return CLAMP (16 * INT (1, most / 16 + 2) + INT (-1, 2), 1, most);
    default:
      return INT (1, most + 1);
    }
}

static const char *
pick_word (const char *words)
{
  g_auto (GStrv) list = g_strsplit (words, " ", -1);

  return g_intern_string (list[INT (0, (int) g_strv_length (list))]);
}

static char *
random_conv (void)
{
  int kernel_h = INT (1, 5), kernel_w = INT (1, 5);
  int stride_h = INT (1, 3), stride_w = INT (1, 3);
  int dilation = INT (0, 3) == 0 ? INT (2, 5) : 1;
  int in = pick_size (40), out = pick_size (70);

  return g_strdup_printf (
      "in x %d %d %d %d;%s w %d %d %d %d;const b %d;Conv x w b -> z "
      "pads=%d,%d,%d,%d strides=%d,%d dilations=%d,%d",
      INT (1, 3), in, dilation * kernel_h + pick_size (14),
      dilation * kernel_w + pick_size (20), pick_word ("const const const in"),
      out, in, kernel_h, kernel_w, out, INT (0, kernel_h), INT (0, kernel_w),
      INT (0, kernel_h), INT (0, kernel_w), stride_h, stride_w, dilation,
      dilation);
}

static char *
random_pointwise_conv (void)
{
  int in = pick_size (90), out = pick_size (90);

  return g_strdup_printf ("in x %d %d %d %d;const w %d %d 1 1;const b %d;"
                          "Conv x w b -> z",
                          INT (1, 3), in, pick_size (9), pick_size (20), out,
                          in, out);
}

static char *
random_grouped_conv (void)
{
  int groups = pick_size (40), kernel = INT (1, 4);
  int in = INT (1, 3), out = INT (1, 4);

  if (INT (0, 2) == 0)
    in = out = 1;
  return g_strdup_printf (
      "in x %d %d %d %d;const w %d %d %d %d;Conv x w -> z group=%d "
      "pads=%d,%d,%d,%d strides=%d,%d",
      INT (1, 3), groups * in, kernel + pick_size (12),
      kernel + pick_size (20), groups * out, in, kernel, kernel, groups,
      INT (0, kernel), INT (0, kernel), INT (0, kernel), INT (0, kernel),
      INT (1, 3), INT (1, 3));
}

/* Along a line, and in a volume. */
static char *
random_other_conv (void)
{
  int kernel = INT (1, 4), in = pick_size (20), out = pick_size (40);
  int n = kernel + pick_size (INT (0, 1) ? 40 : 5);

  if (n > kernel + 5 || INT (0, 1))
    return g_strdup_printf (
        "in x %d %d %d;const w %d %d %d;const b %d;Conv x w b -> t pads=%d,%d strides=%d;"
        "Relu t -> z",
        INT (1, 3), in, n, out, in, kernel, out, INT (0, kernel),
        INT (0, kernel), INT (1, 3));
  return g_strdup_printf ("in x %d %d %d %d %d;const w %d %d %d 2 3;Conv x w -> z "
                          "pads=%d,1,0,0,0,2 strides=%d,1,2",
                          INT (1, 2), in, n, INT (2, 5), INT (3, 9), out, in,
                          kernel, INT (0, kernel), INT (1, 2));
}

static char *
random_transposed_conv (void)
{
  int groups = INT (0, 3) == 0 ? INT (2, 4) : 1, stride = INT (1, 2);
  int in = groups * pick_size (20), out = pick_size (30);

  return g_strdup_printf (
      "in x %d %d %d %d;const w %d %d %d %d;const b %d;ConvTranspose x w b -> z "
      "group=%d strides=%d,%d dilations=%d,1",
      INT (1, 2), in, pick_size (9), pick_size (20), in, out, INT (1, 5),
      INT (1, 5), out * groups, groups, stride, INT (1, 2), INT (1, 2));
}

static char *
random_col2im (void)
{
  int k = INT (1, 4), l = INT (1, 4), stride = INT (1, 3), pad = INT (0, 1);
  int height = k + pick_size (9), width = l + pick_size (30);

  return g_strdup_printf (
      "in x %d %d %d;ints h %d %d;ints b %d %d;Col2Im x h b -> z strides=%d,1 "
      "pads=%d,0,0,%d",
      INT (1, 2), k * l * pick_size (9),
      ((height + pad - k) / stride + 1) * (width + pad - l + 1), height, width,
      k, l, stride, pad, pad);
}

static char *
random_gemm (void)
{
  int m = pick_size (70), n = pick_size (100), k = pick_size (130);
  int turn_a = INT (0, 2), turn_b = INT (0, 2);
  const char *kind = pick_word ("const in");

  return g_strdup_printf (
      "in x %d %d;%s w %d %d;in c %d;Gemm x w c -> z transA=%d transB=%d "
      "alpha=%g", turn_a ? k : m, turn_a ? m : k, kind, turn_b ? n : k,
      turn_b ? k : n, n, turn_a, turn_b, INT (0, 2) ? 1.0 : 0.75);
}

static char *
random_matmul (void)
{
  int batch = INT (1, 4), m = pick_size (40), n = pick_size (70);
  int k = pick_size (70);

  if (INT (0, 3) == 0)
    m = 1;
  return g_strdup_printf ("in x %d %d %d;%s y %d %d %d;MatMul x y -> z", batch,
                          m, k, pick_word ("in const"),
                          INT (0, 2) ? batch : 1, k, n);
}

/* Attention's scores and its values, a projection of heads, a chain. */
static char *
random_einsum (void)
{
  int b = INT (1, 3), q = pick_size (20), k = pick_size (20);
  int n = INT (1, 5), d = pick_size (20);

  switch (INT (0, 4))
    {
    case 0:
      return g_strdup_printf ("in x %d %d %d %d;in y %d %d %d %d;Einsum x y -> "
                              "z equation=bind,bjnd->bnij",
                              b, q, n, d, b, k, n, d);
    case 1:
      return g_strdup_printf ("in x %d %d %d %d;in y %d %d %d %d;Einsum x y -> "
                              "z equation=bnij,bjnd->bind",
                              b, n, q, k, b, k, n, d);
    case 2:
      return g_strdup_printf ("in x %d %d %d %d;const w %d %d %d;Einsum x w -> "
                              "z equation=...nd,nde->...e",
                              b, q, n, d, n, d, k);
    default:
      return g_strdup_printf ("in x %d %d;in y %d %d;in w %d;Einsum x y w -> "
                              "z equation=qd,kd,k->qk",
                              q, d, k, d, k);
    }
}

static char *
random_pool (void)
{
  int kernel_h = INT (1, 5), kernel_w = INT (1, 5);

  return g_strdup_printf (
      "in x %d %d %d %d;%s x -> z kernel_shape=%d,%d strides=%d,%d "
      "pads=%d,%d,%d,%d ceil_mode=%d",
      INT (1, 3), pick_size (40), kernel_h + pick_size (10),
      kernel_w + pick_size (20), pick_word ("MaxPool AveragePool"), kernel_h,
      kernel_w, INT (1, 4), INT (1, 4), INT (0, kernel_h), INT (0, kernel_w),
      INT (0, kernel_h), INT (0, kernel_w), INT (0, 2));
}

static char *
random_global_pool (void)
{
  return g_strdup_printf ("in x %d %d %d %d;%s x -> z", INT (1, 3),
                          pick_size (70), pick_size (12), pick_size (12),
                          pick_word ("GlobalAveragePool GlobalMaxPool"));
}

static char *
random_reduce (void)
{
  return g_strdup_printf ("in x %d %d %d;%s x -> z axes=%s keepdims=%d",
                          INT (1, 5), pick_size (20), pick_size (70),
                          pick_word ("ReduceMean ReduceMax"),
                          pick_word ("0 1 2 1,2 0,2 0,1,2"), INT (0, 2));
}

static char *
random_softmax (void)
{
  return g_strdup_printf ("in x %d %d %d;Softmax x -> z axis=%d", INT (1, 5),
                          pick_size (40), pick_size (140), INT (0, 3));
}

static char *
random_unary (void)
{
  return g_strdup_printf (
      "in x %d %d %d;%s x -> z", INT (1, 4), pick_size (20), pick_size (70),
      pick_word ("Relu Sigmoid Tanh Exp Log Sqrt Erf Neg Abs Floor Reciprocal "
                 "LeakyRelu HardSigmoid HardSwish"));
}

static char *
random_binary (void)
{
  int dims[] = { INT (1, 4), pick_size (20), pick_size (40) };

  return g_strdup_printf (
      "in x %d %d %d;in y %d %d %d;%s x y -> z", dims[0],
      INT (0, 3) ? dims[1] : 1, dims[2], INT (0, 3) ? dims[0] : 1, dims[1],
      INT (0, 3) ? dims[2] : 1, pick_word ("Add Sub Mul Div Max Min Pow"));
}

static char *
random_transpose (void)
{
  return g_strdup_printf ("in x %d %d %d %d;Transpose x -> z perm=%s",
                          INT (1, 4), pick_size (20), pick_size (20),
                          pick_size (40),
                          pick_word ("0,2,3,1 0,3,1,2 3,2,1,0 1,0,3,2 0,1,3,2"));
}

static char *
random_concat (void)
{
  int height = pick_size (9), width = pick_size (9);

  return g_strdup_printf ("in x 2 %d %d %d;in y 2 %d %d %d;in w 2 %d %d %d;"
                          "Concat x y w -> z axis=1", pick_size (40), height,
                          width, pick_size (40), height, width, pick_size (40),
                          height, width);
}

static char *
random_pad (void)
{
  return g_strdup_printf ("in x 1 %d %d %d;ints p 0 %d %d %d 0 %d %d %d;"
                          "Pad x p -> z mode=%s", pick_size (20),
                          3 + pick_size (9), 3 + pick_size (20), INT (0, 2),
                          INT (0, 3), INT (0, 3), INT (0, 2), INT (0, 3),
                          INT (0, 3), pick_word ("constant edge"));
}

/* Long enough, mostly, for sums of sums. */
static char *
random_sums (void)
{
  return g_strdup_printf ("in x %d %d %d;ints a %d;CumSum x a -> z exclusive=%d reverse=%d",
                          pick_size (40), pick_size (700), pick_size (20),
                          INT (-3, 3), INT (0, 2), INT (0, 2));
}

/* Indices are of -7 to 7: some are of no element, many are there twice. */
static char *
random_scatter (void)
{
  int rows = INT (1, 9), columns = INT (1, 9), block = pick_size (40);
  int n = pick_size (30), k = INT (1, 4);
  g_autofree char *updates
      = k == 1   ? g_strdup_printf ("%d 2 %d %d", n, columns, block)
        : k == 2 ? g_strdup_printf ("%d 2 %d", n, block)
                 : g_strdup_printf ("%d 2", n);

  return g_strdup_printf ("in x %d %d %d;int64 i %d 2 %d;in u %s;"
                          "ScatterND x i u -> z reduction=%s", rows, columns,
                          block, n, k, updates, pick_word ("none add mul min max"));
}

static char *
random_chain (void)
{
  int in = pick_size (20), out = pick_size (40);
  int height = pick_size (9), width = pick_size (20);

  return g_strdup_printf (
      "group;in x 1 %d %d %d;const w %d %d 3 3;const b %d;in r 1 %d %d %d;"
      "Conv x w b -> a pads=1,1,1,1;%s a r -> c;%s c -> z",
      in, height, width, out, in, out, out, height, width,
      pick_word ("Add Mul Sub"), pick_word ("Relu Sigmoid HardSwish"));
}

static char *
random_prologue (void)
{
  int in = pick_size (40), out = pick_size (40);

  return g_strdup_printf (
      "group;in x 1 %d %d %d;const s %d 1 1;const w %d %d 1 1;"
      "Mul x s -> a;Relu a -> b;Conv b w -> z", in, pick_size (9),
      pick_size (9), in, out, in);
}

/* Scores of all kinds of sizes, their softmax, and values weighted by it. */
static char *
random_attention (void)
{
  int heads = INT (1, 4), rows = pick_size (40), cols = pick_size (70);
  int depth = pick_size (20), width = pick_size (40);

  return g_strdup_printf (
      "group;in q 2 %d %d %d;in k %d %d %d;in m 2 1 1 %d;in v %d %d %d;"
      "MatMul q k -> s;%s s m -> t;Softmax t -> p axis=3;MatMul p v -> z",
      heads, rows, depth, INT (0, 2) ? heads : 1, depth, cols, cols, heads,
      cols, width, pick_word ("Add Mul Sub"));
}

/* Rows of all batches one after the other, between a product and a sum. */
static char *
random_view (void)
{
  int batch = INT (1, 4), rows = pick_size (20), cols = pick_size (40);
  int depth = pick_size (20);

  return g_strdup_printf (
      "group;in x %d %d %d;const w %d %d;in r %d %d;MatMul x w -> a;"
      "Flatten a -> f axis=2;%s f r -> b;Relu b -> z",
      batch, rows, depth, depth, cols, batch * rows, cols,
      pick_word ("Add Mul Sub"));
}

/* Parts of what a node joins, each by who makes it. */
static char *
random_parts (void)
{
  g_autofree char *text = random_join ();

  return g_strconcat ("group;", text, NULL);
}

static char *(*const makers[]) (void) = {
  random_conv,    random_pointwise_conv, random_grouped_conv,
  random_other_conv, random_transposed_conv, random_col2im,
  random_gemm,    random_matmul,         random_pool,
  random_global_pool, random_reduce,     random_softmax,
  random_unary,   random_binary,         random_transpose,
  random_concat,  random_pad,            random_chain,
  random_prologue, random_conv,          random_gemm,
  random_einsum,  random_attention,      random_view,
  random_parts,   random_parts,          random_parts,
  random_sums,    random_scatter,        random_scatter,
};

int
random_op_count (void)
{
  return G_N_ELEMENTS (makers);
}

char *
random_op (int i)
{
  return makers[i % G_N_ELEMENTS (makers)] ();
}
