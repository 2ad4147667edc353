/* random-model.h: small networks of what passes look for, in JSON. */
#ifndef TESTS_IR_RANDOM_MODEL_H
#define TESTS_IR_RANDOM_MODEL_H

#include "ir/graph.h"

/* @n_blocks of them drawn with g_test_rand; x is [2, 4, 6, 6]. */
TpGraph *random_model (int n_blocks);
/* The same with reals of that type in place of float32. */
TpGraph *random_model_of (TpDtype real, int n_blocks);
/* Every block once, in the order of its table. */
TpGraph *full_model (void);

#endif
