# SPDX-License-Identifier: MIT
# conanfile.py -- the recipe for Conan 2: conan create tools/packaging/conan
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.files import copy, load, rmdir


class Softfp8(ConanFile):
    name = "softfp8"
    license = "MIT"
    description = "Small floating-point formats, bit for bit"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]
    languages = "C"

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):
        lines = load(self, os.path.join(self._root, "lib/include/softfp8.h")).splitlines()
        self.version = next(x.split('"')[1] for x in lines if x.startswith("#define SF8_VERSION "))

    def export_sources(self):
        for pattern in "CMakeLists.txt", "LICENSE", "cmake/*", "lib/*":
            copy(self, pattern, self._root, self.export_sources_folder, excludes="lib/tests/*")

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["SOFTFP8_TOOLS"] = False
        toolchain.cache_variables["SOFTFP8_SHARED"] = bool(self.options.shared)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        rmdir(self, os.path.join(self.package_folder, "share"))  # the license once more
        # Conan writes the files of find_package and pkg-config itself.
        for folder in "cmake", "pkgconfig":
            rmdir(self, os.path.join(self.package_folder, "lib", folder))

    def package_info(self):
        self.cpp_info.libs = ["softfp8"]
        self.cpp_info.set_property("cmake_file_name", "softfp8")
        self.cpp_info.set_property("cmake_target_name", "softfp8::softfp8")
        self.cpp_info.set_property("pkg_config_name", "softfp8")
        if self.options.shared:
            self.cpp_info.defines = ["SF8_SHARED"]
        else:
            self.cpp_info.set_property("cmake_target_aliases", ["softfp8::softfp8_static"])
