"""pip install . calls this file (pyproject.toml). It builds the C libraries with make and puts them into the package.

The library for a GPU is built if nvcc and a GPU are found, for this GPU alone. RECURRENCES_ARCH="sm_80 sm_90" builds it
for these architectures, also without a GPU; RECURRENCES_ARCH=none leaves it out."""

import os
import re
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel


def output(*command):
    """What a command prints, or nothing if it fails or there is none."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    except OSError:
        return ""


def architectures():
    given = re.split(r"[\s,;]+", os.environ.get("RECURRENCES_ARCH", "").strip())
    if given != [""]:
        return [] if given == ["none"] else given
    capabilities = output("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader").split()
    nvcc = shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc")
    return sorted({"sm_" + c.replace(".", "") for c in capabilities if re.fullmatch(r"\d+\.\d+", c)}) if nvcc else []


class BuildLibraries(build_py):
    def run(self):
        shutil.rmtree(self.build_lib, ignore_errors=True)  # it may have a library that this build leaves out
        super().run()
        arch = architectures()
        command = ["make", "lib", "ARCH=" + " ".join(arch)] if arch else ["make", "lib-cpu", "NVCC="]
        outer = "MAKEFLAGS", "MFLAGS", "MAKELEVEL"  # of a make that calls pip
        subprocess.run(command, check=True, env={k: v for k, v in os.environ.items() if k not in outer})
        if getattr(self, "editable_mode", False):
            return  # the package finds the libraries in build/lib
        package, major = os.path.join(self.build_lib, "recurrences"), self.distribution.get_version().split(".")[0]
        for file in ["fast.so", f"librecurrences_cpu.so.{major}"] + [f"librecurrences.so.{major}"] * bool(arch):
            name = os.path.join(package, file)
            shutil.copyfile(f"build/lib/{file}", name)
            output("strip", "--strip-unneeded", name)
        # A machine that installs a wheel may have no compiler, so no library of OpenMP.
        needed = output("ldd", f"build/lib/librecurrences_cpu.so.{major}")
        for path in re.findall(r"=> (\S*/lib(?:gomp|omp)\.so\S*)", needed):
            shutil.copy(path, package)


class Wheel(bdist_wheel):
    """A wheel for any Python 3 on this kind of machine."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class WithLibraries(Distribution):
    def has_ext_modules(self):
        return True


os.makedirs("build/python", exist_ok=True)
setup(cmdclass={"build_py": BuildLibraries, "bdist_wheel": Wheel}, distclass=WithLibraries,
      options={"build": {"build_base": "build/python"}, "egg_info": {"egg_base": "build/python"},
               "bdist_wheel": {"bdist_dir": "build/python/wheel"}})
