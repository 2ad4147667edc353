/* recurrent-activation.h: the functions a recurrent op may be told to apply. */
#ifndef TP_OPS_RECURRENT_ACTIVATION_H
#define TP_OPS_RECURRENT_ACTIVATION_H

#include "ir/graph.h"
#include "nest/nest.h"
#include "ops/recurrent.h"

/* Reads the attributes activations, activation_alpha and activation_beta into
 * self->functions: as many for each direction as the kind has, else its usual
 * ones. */
gboolean tp_activations_read (TpRecurrent *self, const TpNode *node,
                              GError **error);
double tp_activation_value (const TpActivation *activation, double x);
int tp_activation_expr (const TpActivation *activation, TpNest *nest, int x);

#endif
