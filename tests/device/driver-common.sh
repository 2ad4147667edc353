# driver-common.sh: tests/cli/common.sh, beside OpenCL drivers of the test's own
# choice. Sourced.
. "$top_srcdir/tests/cli/common.sh"

skip ()
{
  echo "1..0 # SKIP $1"
  exit 0
}

# A folder for the loader, with the drivers of the machine and what is made up.
fake=$G_TEST_BUILDDIR/.libs/fake-driver.so
layer=$G_TEST_BUILDDIR/.libs/opencl-layer.so
good=$(ls "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/*.icd 2>/dev/null | head -n 1)
[ -f "$good" ] || skip "no OpenCL driver here"
mkdir "$work/vendors"
cp "$good" "$work/vendors/good.icd"
OCL_ICD_VENDORS=$work/vendors
export OCL_ICD_VENDORS
"$TPLAN" devices --format=csv 2>/dev/null | grep -q '^opencl:0,ready' || skip "no OpenCL device here"
