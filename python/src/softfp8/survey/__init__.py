# SPDX-License-Identifier: MIT
"""softfp8.survey -- runs the conversions of other packages, and says which policy each one follows

`python -m softfp8.survey --help` shows how to use it. A cell of the matrix is one conversion of one
version of a package, in one mode.
"""
