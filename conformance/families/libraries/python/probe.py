# SPDX-License-Identifier: MIT
# probe.py -- whether a module is there, and a GPU: asked before anything is made for it
with open("told", "w") as told:
    try:
        need_module(sys.argv[1])
        if sys.argv[2:]:
            need_gpu()
    except Absent as x:
        say(told, "absent " + str(x))
