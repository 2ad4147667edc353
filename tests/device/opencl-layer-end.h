/* opencl-layer-end.h: how a driver of the layer ends, or does not. */
#ifndef OPENCL_LAYER_END_H
#define OPENCL_LAYER_END_H

/* Does what @what of TEST_OPENCL_FAIL says of the process. True: the call is to be
 * made; false: it said nothing of that. */
int opencl_layer_end (const char *what);

#endif
