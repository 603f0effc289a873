# SPDX-License-Identifier: MIT
"""matrix.py -- the former name of softfp8.survey"""
import sys

if __name__ != "__main__":
    raise ImportError("softfp8.matrix is now softfp8.survey")
print("softfp8.matrix is now softfp8.survey", file=sys.stderr)
sys.exit(2)
