# SPDX-License-Identifier: MIT
# portfile.cmake -- the port for vcpkg: the static library, from the sources that this file is in
#
#     vcpkg install softfp8 --overlay-ports=tools/packaging/vcpkg
vcpkg_check_linkage(ONLY_STATIC_LIBRARY)
get_filename_component(source "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
vcpkg_cmake_configure(
    SOURCE_PATH "${source}"
    OPTIONS -DSOFTFP8_SHARED=OFF -DSOFTFP8_TOOLS=OFF -DSOFTFP8_INSTALL=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/softfp8)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE
    "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
    "${CURRENT_PACKAGES_DIR}/share/doc") # the license, which comes below
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE")
