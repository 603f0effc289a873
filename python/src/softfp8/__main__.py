# SPDX-License-Identifier: MIT
"""__main__.py -- python -m softfp8: the command"""
from ._base.command import main

main()
