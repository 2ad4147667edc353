/* opencl-shared.h: buffers that the host reads and writes in place, where a device
 * can have such: nobody but the caller has a part in a copy then. */
#ifndef TP_RUNTIME_OPENCL_SHARED_H
#define TP_RUNTIME_OPENCL_SHARED_H

#include "runtime/opencl.h"

/* A CPU with fine-grained shared memory: host and kernels may use one buffer at a
 * time as long as they keep to bytes of their own. TPLAN_OPENCL_SHARE=no in the
 * environment: none is taken for such. */
gboolean tp_opencl_can_share (cl_device_id device);

/* Likewise, or a device beside it that has its memory in common with the host: these
 * may take turns at one buffer. */
gboolean tp_opencl_can_map (cl_device_id device);

/* Its memory is *@out_data, and goes when the last reference does. Who copies sees to
 * it that no kernel uses the bytes meanwhile. */
cl_mem tp_opencl_new_shared (cl_context context, size_t size_bytes,
                             char **out_data, cl_int *out_code);

#endif
