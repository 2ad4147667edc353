/* case.h: the tests of the ONNX project, as Debian's libonnx-testdata has them:
 * a model beside the inputs and the outputs of one run. */
#ifndef TP_TESTS_ONNX_CASE_H
#define TP_TESTS_ONNX_CASE_H

#include "graph/graph-bind.h"
#include "ir/graph.h"

typedef struct
{
  char *name;                 /* "node/test_abs" */
  char *folder;
  char *op;                   /* the only op of the model, Constants apart; for
                               * models of several a word in brackets */
} OnnxCase;

void onnx_case_free (OnnxCase *onnx_case);

/* $TPLAN_ONNX_TESTDATA, or where Debian has them. */
const char *onnx_cases_get_folder (void);
/* Every folder two levels down that has a model.onnx, sorted by name. */
GPtrArray *onnx_cases_list (void);

/* One tensor of a run. */
typedef struct
{
  char *name;                 /* "" where the file does not say */
  TpInputValue value;
  gint64 count, size_bytes;
  void *data;                 /* of @value; aligned */
} OnnxTensor;

/* The files "@folder/test_data_set_0/@stem_N.pb", of OnnxTensor *; NULL with
 * @error where one is no tensor of a type tplan knows. */
GPtrArray *onnx_tensors_load (const char *folder, const char *stem,
                              GError **error);

#endif
