#include "config.h"

#include "codegen/kernel.h"
