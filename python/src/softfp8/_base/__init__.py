# SPDX-License-Identifier: MIT
"""_base -- what all modules are made from: the library, names, arrays, the command"""
