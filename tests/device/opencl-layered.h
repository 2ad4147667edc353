/* opencl-layered.h: tests in which the layer of opencl-layer.c makes calls fail. */
#ifndef TESTS_DEVICE_OPENCL_LAYERED_H
#define TESTS_DEVICE_OPENCL_LAYERED_H

#include <glib.h>

/* Puts the layer in the way, before any context is made; FALSE: no call would fail, and
 * the output says why all is skipped. */
gboolean opencl_layered_begin (void);

#endif
