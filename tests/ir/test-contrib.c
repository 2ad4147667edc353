/* test-contrib.c: ops that are other ops, ONNX Runtime's and some of ONNX, give what
 * those give that they stand for. */
#include "config.h"

#include "op-support.h"
#include "ops/reference.h"

#include <math.h>
#include <string.h>

typedef struct
{
  const char *name;
  const char *inputs;         /* of both */
  const char *fused, *plain;  /* equal outputs, in this order */
} Case;

/* Cases of one opset. */
typedef struct
{
  int opset;
  const Case *cases;
  gsize n;
  double within;              /* of each other */
} Table;

#define HEADS(x, y) "Reshape " x " cut -> " x "c;Transpose " x "c -> " y       \
                    " perm=0,2,1,3;"
#define SCORES                                                                \
  HEADS ("q", "qh") HEADS ("k", "kh") HEADS ("v", "vh")                       \
  "Transpose kh -> kt perm=0,1,3,2;MatMul qh kt -> raw;"                      \
  "scalar half 0.5;Mul raw half -> scaled;"
#define VALUES(scores)                                                        \
  "Softmax " scores " -> weights axis=-1;MatMul weights vh -> o;"             \
  "Transpose o -> ot perm=0,2,1,3;ints join 0 0 -1;Reshape ot join -> y"
#define QKV "in q 2 3 8;in k 2 5 8;in v 2 5 8;ints cut 0 0 2 4"
#define MASK "Cast m -> mb to=9;" SEEN
#define COUNT                                                                 \
  "ints places 0 1 2 3 4;ints up 1;Unsqueeze n up -> column;"                 \
  "Cast column -> high to=7;Less places high -> mb;" SEEN
#define SEEN                                                                  \
  "ints one 1;Unsqueeze mb one -> m3;Unsqueeze m3 one -> m4;" \
  "scalar zero 0;scalar far -10000;Where m4 zero far -> mf;"

static const Case cases[] = {
  { "bias-gelu", "in x 2 3 8;const b 8", "com.microsoft.BiasGelu x b -> y",
    "Add x b -> t;Gelu t -> y" },
  { "quick-gelu", "in x 2 3 8", "com.microsoft.QuickGelu x -> y",
    "scalar a 1.702;Mul x a -> t;Sigmoid t -> u;Mul x u -> y" },
  { "quick-gelu-alpha", "in x 2 3 8", "com.microsoft.QuickGelu x -> y alpha=0.5",
    "scalar a 0.5;Mul x a -> t;Sigmoid t -> u;Mul x u -> y" },
  { "fused-conv", "in x 2 4 5 6;const w 6 2 3 2;const b 6",
    "com.microsoft.FusedConv x w b -> y group=2 strides=1,2 pads=1,0,1,0 activation=Relu",
    "Conv x w b -> t group=2 strides=1,2 pads=1,0,1,0;Relu t -> y" },
  { "fused-conv-sum", "in x 2 4 5 6;const w 6 4 1 1;in z 2 6 5 6",
    "com.microsoft.FusedConv x w _ z -> y activation=Clip activation_params=-0.5,0.25",
    "Conv x w -> t;Add t z -> u;scalar l -0.5;scalar h 0.25;Clip u l h -> y" },
  { "fused-conv-two", "in x 1 4 6;const w 6 4 1;const b 6",
    "com.microsoft.FusedConv x w b -> y activation=HardSigmoid activation_params=0.3,0.4",
    "Conv x w b -> t;HardSigmoid t -> y alpha=0.3 beta=0.4" },
  { "fused-conv-bare", "in x 1 4 6;const w 6 4 1;const b 6;in z 1 6 6",
    "com.microsoft.FusedConv x w b z -> y", "Conv x w b -> t;Add t z -> y" },
  { "fused-gemm", "in x 5 3;const w 4 5;const b 4",
    "com.microsoft.FusedGemm x w b -> y transA=1 transB=1 alpha=0.5 activation=LeakyRelu "
    "activation_alpha=0.25",
    "Gemm x w b -> t transA=1 transB=1 alpha=0.5;LeakyRelu t -> y alpha=0.25" },
  { "fused-gemm-tanh", "in x 3 5;const w 5 4",
    "com.microsoft.FusedGemm x w -> y activation=Tanh", "Gemm x w -> t;Tanh t -> y" },
  { "fused-matmul-batch", "in x 3 2 6 5;in y 4 2 6 5",
    "com.microsoft.FusedMatMul x y -> z transBatchA=1 transBatchB=1 transB=1 alpha=0.5",
    "Transpose x -> a perm=1,2,0,3;Transpose y -> b perm=1,2,3,0;MatMul a b -> c;"
    "scalar h 0.5;Mul c h -> z" },
  { "fused-matmul-batch-turned", "in x 5 2 3;in y 2 5 4",
    "com.microsoft.FusedMatMul x y -> z transBatchA=1 transA=1",
    "Transpose x -> a perm=1,2,0;MatMul a y -> z" },
  { "simplified", "in x 2 3 8;const g 8",
    "SimplifiedLayerNormalization x g -> y epsilon=0.01 axis=-1",
    "Mul x x -> q;ReduceMean q -> m axes=-1;scalar e 0.01;Add m e -> n;"
    "Sqrt n -> r;Div x r -> d;Mul d g -> y" },
  { "skip", "in x 2 3 8;in k 2 3 8;const g 8;const b 8;const i 8",
    "com.microsoft.SkipLayerNormalization x k g b i -> y m v s epsilon=0.01",
    "Add x k -> t;Add t i -> u;LayerNormalization u g b -> y m v epsilon=0.01;"
    "Identity u -> s" },
  { "skip-bare", "in x 2 3 8;in k 3 8;const g 8",
    "com.microsoft.SkipLayerNormalization x k g -> y",
    "Add x k -> t;LayerNormalization t g -> y epsilon=1e-12" },
  { "skip-simplified", "in x 2 3 8;in k 2 3 8;const g 8;const i 8",
    "com.microsoft.SkipSimplifiedLayerNormalization x k g i -> y _ _ s epsilon=0.01",
    "Add x k -> t;Add t i -> u;RMSNormalization u g -> y epsilon=0.01;"
    "Identity u -> s" },
  { "embed", "int64 i 2 3;int64 t 2 3;int64 m 2 3;const w 9 8;const p 5 8;"
    "const s 9 8;const g 8;const b 8",
    "com.microsoft.EmbedLayerNormalization i t w p s g b m -> y n e epsilon=0.01",
    "Gather w i -> a;ints from 0;ints to 3;Slice p from to -> c;Add a c -> d;"
    "Gather s t -> f;Add d f -> h;LayerNormalization h g b -> y epsilon=0.01;"
    "ints one 1;ReduceSum m one -> n keepdims=0;Identity h -> e" },
  { "embed-bare", "int64 i 2 3;int64 r 2 3;const w 9 8;const p 9 8;const g 8;"
    "const b 8",
    "com.microsoft.EmbedLayerNormalization i _ w p _ g b _ r -> y n",
    "Gather w i -> a;Gather p r -> c;Add a c -> d;"
    "LayerNormalization d g b -> y epsilon=1e-12;ints one 1;Sub i i -> z;"
    "ReduceSum z one -> n keepdims=0" },
  { "rotary", "in x 2 3 8;const c 9 2;const s 9 2;int64 p 2 3",
    "com.microsoft.RotaryEmbedding x p c s -> y interleaved=1",
    "RotaryEmbedding x c s p -> y num_heads=2 interleaved=1" },
  { "heads", QKV, "com.microsoft.MultiHeadAttention q k v -> y num_heads=2",
    SCORES VALUES ("scaled") },
  { "heads-scale", QKV, "com.microsoft.MultiHeadAttention q k v -> y num_heads=2 scale=0.25",
    SCORES "Mul scaled half -> t;" VALUES ("t") },
  { "heads-mask", QKV ";int64 m 2 5;in b 1 2 3 5",
    "com.microsoft.MultiHeadAttention q k v _ m b -> y num_heads=2",
    SCORES MASK "Add scaled mf -> t;Add t b -> u;" VALUES ("u") },
  { "heads-count", QKV ";int64 n 2",
    "com.microsoft.MultiHeadAttention q k v _ n -> y num_heads=2",
    SCORES COUNT "Add scaled mf -> u;" VALUES ("u") },
  { "heads-bias", "in x 2 3 8;in l 2 5 8;in z 2 5 8;const b 24;"
    "ints cut 0 0 2 4",
    "com.microsoft.MultiHeadAttention x l z b -> y num_heads=2",
    "Split b -> b1 b2 b3;Add x b1 -> q;Add l b2 -> k;Add z b3 -> v;"
    SCORES VALUES ("scaled") },
  { "heads-packed", "in x 2 3 2 3 4;ints cut 0 0 2 4",
    "com.microsoft.MultiHeadAttention x -> y num_heads=2",
    "Split x -> a b c axis=3;ints flat 2 3 8;Reshape a flat -> q;"
    "Reshape b flat -> k;Reshape c flat -> v;" SCORES VALUES ("scaled") },
  { "heads-packed-keys", "in q 2 3 8;in x 2 5 2 2 4;const b 24;ints cut 0 0 2 4",
    "com.microsoft.MultiHeadAttention q x _ b -> y num_heads=2",
    "Split x -> l z axis=3;ints flat 2 5 8;Reshape l flat -> lf;Reshape z flat -> zf;"
    "Split b -> b1 b2 b3;Add q b1 -> qb;Add lf b2 -> k;Add zf b3 -> v;"
    HEADS ("qb", "qh") HEADS ("k", "kh") HEADS ("v", "vh")
    "Transpose kh -> kt perm=0,1,3,2;MatMul qh kt -> raw;"
    "scalar half 0.5;Mul raw half -> scaled;" VALUES ("scaled") },
  { "heads-past-mask", "in q 2 3 8;in k 2 3 8;in v 2 3 8;in p 2 2 4 4;in r 2 2 4 4;"
    "int32 m 2 7;ints cut 0 0 2 4",
    "com.microsoft.MultiHeadAttention q k v _ m _ p r -> y pk pv num_heads=2",
    HEADS ("q", "qh") HEADS ("k", "kn") HEADS ("v", "vn")
    "Concat p kn -> kh axis=2;Concat r vn -> vh axis=2;"
    "Transpose kh -> kt perm=0,1,3,2;MatMul qh kt -> raw;scalar half 0.5;"
    "Mul raw half -> scaled;" MASK "Add scaled mf -> u;" VALUES ("u")
    ";Identity kh -> pk;Identity vh -> pv" },
  { "heads-past", "in q 2 3 8;in k 2 3 8;in v 2 3 8;in p 2 2 4 4;in r 2 2 4 4;"
    "ints cut 0 0 2 4",
    "com.microsoft.MultiHeadAttention q k v _ _ _ p r -> y pk pv num_heads=2",
    HEADS ("q", "qh") HEADS ("k", "kn") HEADS ("v", "vn")
    "Concat p kn -> kh axis=2;Concat r vn -> vh axis=2;"
    "Transpose kh -> kt perm=0,1,3,2;MatMul qh kt -> raw;scalar half 0.5;"
    "Mul raw half -> scaled;" VALUES ("scaled") ";Identity kh -> pk;Identity vh -> pv" },
  { "packed", "in x 2 5 6;const w 6 24;const b 24;int64 m 2 5;ints cut 0 0 2 4",
    "com.microsoft.Attention x w b m -> y num_heads=2",
    "MatMul x w -> n;Add n b -> a;Split a -> q k v axis=-1;"
    SCORES MASK "Add scaled mf -> u;" VALUES ("u") },
  { "packed-count", "in x 2 5 6;const w 6 24;const b 24;int32 n 2;ints cut 0 0 2 4",
    "com.microsoft.Attention x w b n -> y num_heads=2",
    "MatMul x w -> c;Add c b -> a;Split a -> q k v axis=-1;"
    SCORES COUNT "Add scaled mf -> u;" VALUES ("u") },
  { "packed-causal", "in x 2 3 6;const w 6 24;ints cut 0 0 2 4",
    "com.microsoft.Attention x w -> y num_heads=2 unidirectional=1",
    "MatMul x w -> a;Split a -> q k v axis=-1;"
    SCORES "scalar far -10000;ints sh 3 3;Expand far sh -> f;ints up 1;"
    "Trilu f up -> mf;Add scaled mf -> u;" VALUES ("u") },
};

/* Zero points 0 or 3 of even blocks, 0 or 7 of odd ones. */
#define NBITS "in x 2 40;uint8 q 5 3 8;const s 15;ints rows 5 3"
#define ROWS "Reshape s rows -> t;"
#define PACKED                                                                \
  "Cast c -> cu to=2;Cast e -> eu to=2;Mul l cu -> lz;Mul h eu -> hz;"        \
  "Add lz hz -> z;ints flat -1;Reshape z flat -> zf;"
#define UNPACKED                                                              \
  "Cast l -> lr to=1;Cast h -> hr to=1;Mul lr c -> lz;Mul hr d -> hz;"        \
  "ints two 2;Unsqueeze lz two -> l3;Unsqueeze hz two -> h3;"                 \
  "Concat l3 h3 -> p axis=2;ints all 5 4;Reshape p all -> r;ints f 0;ints u 3;" \
  "ints one 1;Slice r f u one -> z;"

static const Case nbits_cases[] = {
  { "nbits", NBITS,
    "com.microsoft.MatMulNBits x q s -> y K=40 N=5 block_size=16 bits=4",
    ROWS "MatMulNBits x q t -> y K=40 N=5 block_size=16" },
  { "nbits-zeros",
    NBITS ";uint8 l 5 2;uint8 h 5 2;const b 5;scalar c 3;scalar d 7;scalar e 112",
    PACKED "com.microsoft.MatMulNBits x q s zf _ b -> y K=40 N=5 block_size=16 "
    "accuracy_level=4",
    UNPACKED ROWS "MatMulNBits x q t z -> m K=40 N=5 block_size=16 accuracy_level=4;Add m b -> y" },
};

/* Of opset 24. */
static const Case shape_cases[] = {
  { "dft-back", "in x 2 7 3 2", "DFT x -> t;DFT t -> y inverse=1",
    "Identity x -> y" },
  { "dft-half", "in x 2 6 1;ints n 9;ints a 1", "DFT x n a -> y onesided=1",
    "DFT x n a -> t;ints f 0;ints u 5;Slice t f u a -> y" },
  { "dft-half-back", "in x 2 6 1;ints n 6;ints a 1",
    "DFT x _ a -> t onesided=1;DFT t n a -> y onesided=1 inverse=1",
    "Identity x -> y" },
  { "dft-cut", "in x 2 9 1;ints n 5;ints a -2", "DFT x n a -> y",
    "ints f 0;Slice x f n a -> c;DFT c _ a -> y" },
  { "stft", "in x 2 11 1;ints s 3;const w 4", "STFT x s w -> y onesided=0",
    "ints i 0 1 2 3 3 4 5 6 6 7 8 9;Gather x i -> g axis=1;ints d 2 3 4 1;"
    "Reshape g d -> f;ints k 4 1;Reshape w k -> v;Mul f v -> m;DFT m -> y" },
  { "col2im", "in x 2 12 6;ints h 4 6;ints b 2 2", "Col2Im x h b -> y strides=2,2",
    "ints a 2 3 2 2 2 3;Reshape x a -> r;Transpose r -> t perm=0,1,4,2,5,3;"
    "ints d 2 3 4 6;Reshape t d -> y" },
  { "col2im-over", "in x 1 6 4;ints h 4;ints b 3", "Col2Im x h b -> y pads=1,1",
    "ints a 2 3 4;Reshape x a -> r;Split r -> c d f axis=1 num_outputs=3;"
    "ints pc 0 0 0 0 0 2;ints pd 0 0 1 0 0 1;ints pf 0 0 2 0 0 0;"
    "Pad c pc -> c1;Pad d pd -> d1;Pad f pf -> f1;Add c1 d1 -> s1;Add s1 f1 -> s;"
    "ints from 1;ints to 5;ints ax 2;Slice s from to ax -> k;ints yd 1 2 4;"
    "Reshape k yd -> y" },
  { "col2im-uneven", "in x 1 3 3;ints h 1 6;ints b 1 3", "Col2Im x h b -> y strides=1,2 pads=0,1,0,1",
    "ints f 9;Reshape x f -> r;ints p 0 1;Pad r p -> z;ints i 3 1 4 2 5 8;"
    "ints j 9 6 9 7 9 9;Gather z i -> g;Gather z j -> k;Add g k -> s;ints d 1 1 1 6;"
    "Reshape s d -> y" },
  { "crop-pad", "in x 5 4;ints s 2 7", "CenterCropPad x s -> y",
    "ints f 1;ints u 3;ints a 0;Slice x f u a -> c;ints p 0 1 0 2;Pad c p -> y" },
  { "scatter", "in x 1 2 6 3;in u 1 2 2 3;ints w 3", "TensorScatter x u w -> y",
    "ints a 2;ints o 0;ints t 3;ints k 5;ints e 6;Slice x o t a -> l;"
    "Slice x k e a -> h;Concat l u h -> y axis=2" },
  { "scatter-circular", "in x 2 5 3;in u 2 2 3;ints w 4 1",
    "TensorScatter x u w -> y axis=1 mode=circular",
    "Split x -> x0 x1 axis=0 num_outputs=2;Split u -> u0 u1 axis=0 num_outputs=2;"
    "ints a 1;ints o 0;ints b 1;ints c 2;ints d 3;ints f 4;ints g 5;"
    "Slice u0 o b a -> ua;Slice u0 b c a -> ub;Slice x0 b f a -> xa;"
    "Concat ub xa ua -> y0 axis=1;"
    "Slice x1 o b a -> xb;Slice x1 d g a -> xc;Concat xb u1 xc -> y1 axis=1;"
    "Concat y0 y1 -> y axis=0" },
};

#define QUANTIZED "uint8 x 2 3 4 4;pos s;scalar zf 3;Cast zf -> z to=2;pos t;"
#define REAL "DequantizeLinear x s z -> r;"
#define ANEW "QuantizeLinear u t z -> y"

static const Case quantized_cases[] = {
  { "qlinear-leaky-relu", QUANTIZED,
    "com.microsoft.QLinearLeakyRelu x s z t z -> y alpha=0.25",
    REAL "LeakyRelu r -> u alpha=0.25;" ANEW },
  { "qlinear-softmax", QUANTIZED,
    "com.microsoft.QLinearSoftmax x s z t z -> y axis=1 opset=13",
    REAL "Softmax r -> u axis=1;" ANEW },
  { "qlinear-pool", QUANTIZED,
    "com.microsoft.QLinearAveragePool x s z t z -> y kernel_shape=3,2 pads=1,0,1,1",
    REAL "AveragePool r -> u kernel_shape=3,2 pads=1,0,1,1;" ANEW },
  { "qlinear-where", QUANTIZED ";uint8 b 2 3 4 4;in w 4;ints o 0;Greater w w -> f;"
    "pos q", "com.microsoft.QLinearWhere f x s z b q z t z -> y",
    REAL "DequantizeLinear b q z -> v;Where f r v -> u;" ANEW },
  { "qlinear-concat", QUANTIZED ";uint8 b 2 5 4 4;pos q",
    "com.microsoft.QLinearConcat t z x s z b q z -> y axis=1",
    REAL "DequantizeLinear b q z -> v;Concat r v -> u axis=1;" ANEW },
};

#include "contrib-steps.inc"

#include "contrib-samples.inc"
#include "contrib-gated.inc"

/* Two heads of queries, one of keys. */
#define CACHE "in p 2 1 4 4;in r 2 1 4 4;ints cut 0 0 2 4;ints places 0 1 2 3"
#define GROUP_QUERY "com.microsoft.GroupQueryAttention "
#define JOIN                                                                  \
  "MatMul weights pv -> o;Transpose o -> ot perm=0,2,1,3;ints join 0 0 -1;"   \
  "Reshape ot join -> y;Identity pk -> keys;Identity pv -> values"
#define VALUES_OF(scores) "Softmax " scores " -> weights axis=-1;" JOIN
/* Scores of @q, seen up to @last, and what they weigh. */
#define SCORES_OF(last)                                                       \
  HEADS ("q", "qh") "Transpose pk -> kt perm=0,1,3,2;MatMul qh kt -> raw;"    \
  "scalar half 0.5;Mul raw half -> scaled;LessOrEqual places " last " -> seen;" \
  "scalar far -10000;Where seen scaled far -> masked;"
#define WEIGH(last) SCORES_OF (last) VALUES_OF ("masked")
/* @sink, a score more of a head, has its part of the weights and no value. */
#define WEIGH_BESIDE(sink, last)                                              \
  SCORES_OF (last) "ints shape 2 2 1 1;Expand " sink " shape -> extra;"       \
  "Concat masked extra -> more axis=3;Softmax more -> all axis=-1;"          \
  "ints first 0;ints end 4;ints along 3;Slice all first end along -> weights;" JOIN
#define TOKEN "in q 2 1 8;in k 2 1 4;in v 2 1 4;int32 l 2;" CACHE
/* What is new is put where @l says. */
#define WRITE                                                                 \
  "Cast l -> l7 to=7;ints three 1 2 3;Unsqueeze l7 three -> l4;ints one 1;"   \
  "Unsqueeze places one -> column;Equal column l4 -> here;"                   \
  "Unsqueeze k one -> k4;Unsqueeze v one -> v4;"                              \
  "Where here k4 p -> pk;Where here v4 r -> pv;"
#define PROMPT "in q 2 3 8;in k 2 3 4;in v 2 3 4;int32 l 2;" CACHE
#define REPLACE                                                               \
  "ints one 1;Unsqueeze k one -> k4;Unsqueeze v one -> v4;ints from 3;"       \
  "ints to 4;ints two 2;Slice p from to two -> p3;Slice r from to two -> r3;" \
  "Concat k4 p3 -> pk axis=2;Concat v4 r3 -> pv axis=2;ints rows 0 1 2;"      \
  "Unsqueeze rows one -> last;"

static const Case cache_cases[] = {
  { "cache-token", TOKEN ";ints t 4",
    GROUP_QUERY "q k v p r l t -> y keys values num_heads=2 kv_num_heads=1",
    WRITE WEIGH ("l4") },
  { "cache-sink", TOKEN ";ints t 4;in s 2",
    GROUP_QUERY "q k v p r l t _ _ _ _ s -> y keys values num_heads=2 kv_num_heads=1",
    WRITE "ints heads4 1 2 1 1;Reshape s heads4 -> sink;" WEIGH_BESIDE ("sink", "l4") },
  { "cache-smooth", TOKEN ";ints t 4",
    GROUP_QUERY "q k v p r l t -> y keys values num_heads=2 kv_num_heads=1 smooth_softmax=1",
    WRITE "scalar sink 0;" WEIGH_BESIDE ("sink", "l4") },
  { "cache-packed", "in x 2 1 16;int32 l 2;" CACHE ";ints t 4",
    GROUP_QUERY "x _ _ p r l t -> y keys values num_heads=2 kv_num_heads=1",
    "ints parts 8 4 4;Split x parts -> q k v axis=2;" WRITE WEIGH ("l4") },
  { "cache-prompt", PROMPT ";ints t 3",
    GROUP_QUERY "q k v p r l t -> y keys values num_heads=2 kv_num_heads=1",
    REPLACE WEIGH ("last") },
  { "cache-window", PROMPT ";ints t 3",
    GROUP_QUERY "q k v p r l t -> y keys values num_heads=2 kv_num_heads=1 local_window_size=2",
    REPLACE "scalar minus -10000;ints two2 2;Sub last two2 -> before;"
    "LessOrEqual places before -> gone;scalar none 0;Where gone minus none -> bias;"
    HEADS ("q", "qh") "Transpose pk -> kt perm=0,1,3,2;MatMul qh kt -> raw;"
    "scalar half 0.5;Mul raw half -> scaled;LessOrEqual places last -> seen;"
    "Where seen scaled minus -> masked;Add masked bias -> biased;" VALUES_OF ("biased") },
  { "cache-grows", "in q 2 1 8;in k 2 1 4;in v 2 1 4;in p 2 1 3 4;in r 2 1 3 4;"
    "ints l 3 3;ints t 4;ints cut 0 0 2 4;ints places 0 1 2 3",
    GROUP_QUERY "q k v p r l t -> y keys values num_heads=2 kv_num_heads=1",
    "ints one 1;Unsqueeze k one -> k4;Unsqueeze v one -> v4;"
    "Concat p k4 -> pk axis=2;Concat r v4 -> pv axis=2;ints last 3;" WEIGH ("last") },
  { "scatter-some", "in x 2 1 4 4;in u 2 1 1 4;int64 l 2",
    "TensorScatter x u l -> y",
    "ints places 0 1 2 3;ints one 1;Unsqueeze places one -> column;ints three 1 2 3;"
    "Unsqueeze l three -> l4;Equal column l4 -> here;Where here u x -> y" },
  { "scatter-last", "in x 1 4 1;in u 1 3 1;ints l 2",
    "TensorScatter x u l -> y axis=1",
    "ints f 0;ints t 2;ints one 1;Slice x f t one -> a;Slice u f t one -> b;"
    "Concat a b -> y axis=1" },
};

static TpGraph *
load (int opset, const Case *c, const char *ops)
{
  g_autofree char *text = g_strconcat (c->inputs, ";", ops, NULL);
  g_autoptr (GError) error = NULL;
  TpGraph *graph = test_graph_new (opset, text, &error);

  g_assert_no_error (error);
  return graph;
}

/* Small integers are positions and masks. */
static GPtrArray *
draw_inputs (const TpGraph *graph)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; i < graph->n_inputs; i++)
    {
      const TpTensor *tensor = &graph->tensors[graph->inputs[i]];
      double *data = g_new (double, tensor->count + 1);

      for (gint64 k = 0; k < tensor->count; k++)
        data[k] = tp_dtype_is_integer (tensor->dtype)
                      ? g_test_rand_int_range (0, 2)
                      : (float) g_test_rand_double_range (-2.0, 2.0);
      g_ptr_array_add (inputs, data);
    }
  return inputs;
}

static GPtrArray *
run (const TpGraph *graph, GPtrArray *inputs)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *values = tp_graph_run_reference (
      graph, (const double *const *) inputs->pdata, FALSE, &error);

  g_assert_no_error (error);
  return values;
}

static void
check_case (const Table *table, const Case *c)
{
  g_autoptr (TpGraph) fused = load (table->opset, c, c->fused);
  g_autoptr (TpGraph) plain = load (table->opset, c, c->plain);
  g_autoptr (GPtrArray) inputs = draw_inputs (plain);
  g_autoptr (GPtrArray) got = run (fused, inputs);
  g_autoptr (GPtrArray) want = run (plain, inputs);

  g_assert_cmpint (fused->n_outputs, ==, plain->n_outputs);
  for (int i = 0; i < plain->n_outputs; i++)
    {
      const TpTensor *a = &fused->tensors[fused->outputs[i]];
      const TpTensor *b = &plain->tensors[plain->outputs[i]];

      g_assert_cmpstr (a->name, ==, b->name);
      g_assert_cmpint (a->dtype, ==, b->dtype);
      g_assert_cmpmem (a->dims, a->rank * sizeof a->dims[0], b->dims,
                       b->rank * sizeof b->dims[0]);
      for (gint64 k = 0; k < a->count; k++)
        g_assert_cmpfloat_with_epsilon (((double *) got->pdata[i])[k],
                                        ((double *) want->pdata[i])[k],
                                        table->within);
    }
}

/* A run that says that more is remembered than there are places gets no number. */
static void
test_lost (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = test_graph_new (
      17, TOKEN ";int32 t 1;" GROUP_QUERY
      "q k v p r l t -> y keys values num_heads=2 kv_num_heads=1", &error);
  g_autoptr (GPtrArray) inputs = NULL;

  g_assert_no_error (error);
  inputs = draw_inputs (graph);
  for (int total = 4; total <= 5; total++)
    {
      g_autoptr (GPtrArray) values = NULL;
      const TpTensor *y = &graph->tensors[graph->outputs[0]];

      for (int i = 0; i < graph->n_inputs; i++)
        if (strcmp (graph->tensors[graph->inputs[i]].name, "t") == 0)
          *(double *) inputs->pdata[i] = total;
      values = run (graph, inputs);
      for (gint64 i = 0; i < y->count; i++)
        g_assert_true (isnan (((double *) values->pdata[0])[i])
                       == (total > 4));
    }
}

/* ---- errors -------------------------------------------------------------- */

static const struct
{
  const char *text, *message;
} errors[] = {
  { "in q 2 3 8;com.microsoft.MultiHeadAttention q _ q -> y num_heads=2",
    "value has no key: give both, or pack them" },
  { "in q 2 3 8;com.microsoft.MultiHeadAttention q -> y num_heads=2", "axis 3" },
  { "in q 2 1 8;com.microsoft.DecoderMaskedMultiHeadAttention q q q -> y num_heads=2",
    "export with MultiHeadAttention or GroupQueryAttention" },
  { "in x 3 5;const w 5 4;com.microsoft.FusedGemm x w -> y activation=Sine",
    "activation 'Sine' is not known" },
  { "in x 1 4 6;const w 6 4 1;com.microsoft.FusedConv x w -> y activation=Clip",
    "a Clip needs 2 activation_params, there are 0" },
  { "in q 2 3 8;com.microsoft.MultiHeadAttention q q q -> y num_heads=2 sparse=1",
    "com.microsoft.MultiHeadAttention has no attribute 'sparse'; it has" },
  { "in q 2 3 8;int64 m 4;com.microsoft.MultiHeadAttention q q q _ m -> y num_heads=2",
    "4 elements" },
  { "in x 2 3 8;const g 8;com.microsoft.SkipSimplifiedLayerNormalization x x g -> y m",
    "outputs 1 and 2, for training, are not computed" },
  { "in x 2 3 8;const w 8 24;com.microsoft.Attention x w -> y num_heads=2 do_rotary=1",
    "do_rotary and past_present_share_buffer are not supported" },
  { "in x 2 3 8;const w 8 24;"
    "com.microsoft.Attention x w -> y num_heads=2 qkv_hidden_sizes=8,16",
    "qkv_hidden_sizes has 2 numbers, there are three" },
  { "in x 2 3 8;const c 9 2;int64 p 2 3;"
    "com.microsoft.RotaryEmbedding x p c c -> y scale=2.0",
    "is_packed_batching and scale are not supported" },
  { "int64 i 2 3;const w 9 8;com.microsoft.EmbedLayerNormalization i _ w -> y",
    "input 3 may not be left out" },
  { "in q 2 3 8;com.microsoft.GroupQueryAttention q q q -> y num_heads=2 kv_num_heads=2",
    "inputs 5 (seqlens_k) and 6 (total_sequence_length) may not be left out" },
  { "in q 2 3 8;int32 l 2;int32 t 1;com.microsoft.GroupQueryAttention q q q _ _ l t -> y "
    "num_heads=2 kv_num_heads=3", "kv_num_heads is 3, must divide num_heads" },
  { "in q 2 3 8;int32 l 2;int32 t 1;com.microsoft.GroupQueryAttention q q q _ _ l t -> y "
    "num_heads=2 kv_num_heads=2 do_rotary=1", "do_rotary needs cos_cache and sin_cache" },
  { "in q 2 3 8;int32 l 2;int32 t 1;const s 3;com.microsoft.GroupQueryAttention "
    "q q q _ _ l t _ _ _ _ s -> y num_heads=2 kv_num_heads=2",
    "input 7 (sink) has shape [3], [2] or [1] is needed" },
  { "in q 2 3 8;int32 l 2;int32 t 1;const s 3;com.microsoft.GroupQueryAttention "
    "q q q _ _ l t _ _ _ _ _ s -> y num_heads=2 kv_num_heads=2",
    "input 12 (k_scale) is not supported" },
  { "in q 2 3 8;int32 l 2;int32 t 1;com.microsoft.GroupQueryAttention q q _ _ _ l t -> y "
    "num_heads=2 kv_num_heads=2", "key and value go together" },
  { "in x 2 32;uint8 q 5 2 8;const s 10;int32 g 32;com.microsoft.MatMulNBits x q s _ g -> y "
    "K=32 N=5 block_size=16", "input 4 (g_idx), an order of the rows" },
  { "uint8 x 2 3;pos s;scalar zf 3;Cast zf -> z to=2;"
    "com.microsoft.QLinearConcat s z x s z x -> y axis=1",
    "each part needs a scale and a zero point" },
  { "uint8 x 2 3;pos s;scalar zf 3;Cast zf -> z to=2;"
    "com.microsoft.QLinearSoftmax x s z s z -> y axis=1 opset=11",
    "a Softmax of another opset than the model's" },
  { "in x 2 32;uint8 q 5 2 8;const s 10;com.microsoft.MatMulNBits x q s -> y "
    "K=32 N=5 block_size=16 bits=5", "and bits 2, 4 or 8" },
  { "in x 1 2 5 6;in r 2 4;ints i 0 0;RoiAlign x r i -> y sampling_ratio=0",
    "export with a fixed one, such as 2" },
  { "in x 1 2 5 6;in r 2 4;ints i 0 0;RoiAlign x r i -> y sampling_ratio=2 output_height=0",
    "an output of 0 x 1" },
  { "in x 1 2 5 6;in r 2 4;ints i 0 0;RoiAlign x r i -> y sampling_ratio=2 "
    "coordinate_transformation_mode=asymmetric", "'half_pixel' or 'output_half_pixel'" },
  { "in x 1 2 5 6 7;const w 3 2 1 1 1;in o 1 3 5 6 7;DeformConv x w o -> y",
    "only images (2) are" },
  { "in x 1 2 5 6;in v 3 2 1 1;in o 1 2 5 6;Relu v -> w;DeformConv x w o -> y",
    "give it the attribute kernel_shape" },
  { "in x 1 2 5 6;in v 3 2 1 1;in o 1 2 5 6;Relu v -> w;DeformConv x w o -> y "
    "kernel_shape=1,0", "filters of 1 x 0 are not possible" },
  { "in x 3 2 2;ints n 3 1;ReverseSequence x n -> y time_axis=2",
    "they must be 0 and 1, or 1 and 0" },
  { "in x 2 3 5;const w 3 1 4;com.microsoft.CausalConvWithState x w -> y p dilation=2",
    "dilation other than 1 is not supported" },
  { "in x 2 8;const w 8;com.microsoft.GatedRMSNorm x w x -> y activation=relu",
    "activation 'relu' is not known: silu, swish or sigmoid" },
  { "in a 2 3 4;const t 4;com.microsoft.LinearAttentionGate a t t -> d e",
    "output 1 needs input 3" },
  { "in w 4 8;ints i 1;const s 4 1;com.microsoft.GatherBlockQuantized w i s -> y",
    "data and scales must be constants of one rank" },
  { "const w 4 8;ints i 1;const s 4 1;com.microsoft.GatherBlockQuantized w i s -> y bits=3",
    "bits must be 2, 4 or 8" },
  { "const w 4 8;ints i 1;const s 4 1;"
    "com.microsoft.GatherBlockQuantized w i s -> y gather_axis=1",
    "to gather along the dimension that has the blocks" },
  { "const w 4 8;ints i 1;const s 4 1;"
    "com.microsoft.GatherBlockQuantized w i s -> y quantize_axis=2",
    "quantize_axis is 2, data has 2 dimensions" },
  { "in x 2 3;in p 2 4;in w 4 5 3;in v 4 3 5;com.microsoft.MoE x p w _ v -> y",
    "input 2, weights, must be a constant of three dimensions" },
  { "in x 2 3;in p 2 4;const w 4 5 3;const v 4 3 5;"
    "com.microsoft.MoE x p w _ v -> y activation_type=geglu",
    "activation_type 'geglu' is not known" },
  { "in x 2 3;in p 2 4;const w 4 5 3;const v 4 3 5;"
    "com.microsoft.MoE x p w _ v -> y activation_type=swiglu",
    "swiglu_fusion 0 needs input 6" },
  { "in x 2 3;in p 2 4;const w 4 5 3;com.microsoft.QMoE x p w w -> y weights_prepacked=1",
    "weights_prepacked is not supported" },
  { "in x 2 3;in p 2 4;const w 4 5 3;com.microsoft.QMoE x p w w -> y quant_type=nvfp4",
    "quant_type 'nvfp4' is not supported: int" },
  { "in x 2 3;Multinomial x -> y sample_size=0", "sample_size is 0, at least 1 is needed" },
};

#define EXACT 1e-6

static const Table tables[] = {
  { 17, cases, G_N_ELEMENTS (cases), EXACT },
  { 17, nbits_cases, G_N_ELEMENTS (nbits_cases), EXACT },
  { 24, shape_cases, G_N_ELEMENTS (shape_cases), EXACT },
  { 18, training_cases, G_N_ELEMENTS (training_cases), 1e-6 }, /* rates in float32 */
  { 28, new_cases, G_N_ELEMENTS (new_cases), EXACT },
  { 28, gated_cases, G_N_ELEMENTS (gated_cases), EXACT },
  { 17, cache_cases, G_N_ELEMENTS (cache_cases), EXACT },
  { 17, quantized_cases, G_N_ELEMENTS (quantized_cases), EXACT },
  { 22, sample_cases, G_N_ELEMENTS (sample_cases), 1e-5 }, /* float32 says where */
};

/* @data: case behind the table, in tens of thousands. */
static void
test_case (gconstpointer data)
{
  const Table *table = &tables[GPOINTER_TO_INT (data) / 10000];

  check_case (table, &table->cases[GPOINTER_TO_INT (data) % 10000]);
}

static void
add_table (int number)
{
  for (gsize i = 0; i < tables[number].n; i++)
    {
      g_autofree char *path
          = g_strconcat ("/contrib/", tables[number].cases[i].name, NULL);

      g_test_add_data_func (path, GINT_TO_POINTER (number * 10000 + (int) i),
                            test_case);
    }
}

static void
test_error (gconstpointer data)
{
  int i = GPOINTER_TO_INT (data);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = test_graph_new (17, errors[i].text, &error);

  g_assert_null (graph);
  g_assert_nonnull (strstr (error->message, errors[i].message));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    add_table ((int) i);
  g_test_add_func ("/contrib/lost", test_lost);
  for (gsize i = 0; i < G_N_ELEMENTS (errors); i++)
    {
      g_autofree char *path = g_strdup_printf ("/contrib/error/%d", (int) i);

      g_test_add_data_func (path, GINT_TO_POINTER (i), test_error);
    }
  return g_test_run ();
}
