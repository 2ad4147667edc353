/* correct.h: costs corrected by what whole plans took. */
#ifndef TP_CALIB_CORRECT_H
#define TP_CALIB_CORRECT_H

#include "calib/lookup.h"

typedef struct TpCorrector TpCorrector;

TpCorrector *tp_corrector_new (const TpCalibOptions *options);
void tp_corrector_free (TpCorrector *corrector);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpCorrector, tp_corrector_free)

/* Reads the wholes that device @device of the options has part in, of both
 * tables. */
gboolean tp_corrector_read (TpCorrector *corrector, int device,
                            const TpDeviceMatch *match, GError **error);

/* Once all real devices were read: multiplies times of their kernels, and
 * spreads, by the factor that wholes tell, and says in @costs->errors what is
 * left. Which groups take less than their ops stays as it is, and so does what the
 * graph gives. @groups: (nullable) without any. @network: as of
 * tp_keys_find_network (). */
void tp_corrector_apply (TpCorrector *corrector, TpCosts *costs,
                         const TpGraph *graph, const TpGroups *groups,
                         const char *network);

#endif
