# SPDX-License-Identifier: MIT
# probe.py -- which of the modules that are named are there, and "gpu": asked once, before anything
# is made for them
#
# A line for each in "told": NAME there, NAME absent WHY, NAME broken WHY.
with open("told", "w") as told:
    for name in sys.argv[1:]:
        try:
            if name == "gpu":
                need_gpu()
            else:
                need_module(name)
            say(told, name + " there")
        except Absent as x:
            say(told, name + " absent " + str(x))
        except Exception as x:
            say(told, name + " broken " + one_line(x))
