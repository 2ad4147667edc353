/* injected-models.h: models of which each part is large enough for its memory to be
 * refused alone. */
#ifndef TP_TESTS_INJECTED_MODELS_H
#define TP_TESTS_INJECTED_MODELS_H

void injected_write_json (const char *path, int n_ops);
void injected_write_onnx (const char *path, int n_ops);
void injected_write_functions (const char *path, int n_ops); /* of ONNX */
void injected_write_dims (const char *path, int n_ops);
void injected_write_folded (const char *path);
void injected_write_tensors (const char *path, const char *weights_path,
                             int n_ops);
void injected_write_integers (const char *path);
void injected_write_kinds (const char *path);

#endif
