"""The wheel is of a platform where it holds the library (`make wheel` puts it into
tplan/lib), else of any: it then takes the library of the system."""

import os
import sysconfig

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel

HOLDS_LIBRARY = os.path.exists(os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "tplan", "lib",
    "libtplan.so.0"))


class Holder(Distribution):
    """So that what the wheel has goes where code of a platform belongs."""

    def has_ext_modules(self):
        return HOLDS_LIBRARY


class Wheel(bdist_wheel):
    def get_tag(self):
        if not HOLDS_LIBRARY:
            return "py3", "none", "any"
        platform = (self.plat_name if self.plat_name_supplied
                    else sysconfig.get_platform())
        return "py3", "none", platform.replace("-", "_").replace(".", "_")


setup(cmdclass={"bdist_wheel": Wheel}, distclass=Holder)
