# SPDX-License-Identifier: MIT
# probe.py -- which of the modules that are named are there, and "gpu": asked once, before anything
# is made for them
#
# A line for each in "report": NAME there, NAME absent WHY, NAME broken WHY.
with open("report", "w") as report:
    for name in sys.argv[1:]:
        try:
            if name == "gpu":
                need_gpu()
            else:
                need_module(name)
            say(report, name + " there")
        except Absent as x:
            say(report, name + " absent " + str(x))
        except Exception as x:
            say(report, name + " broken " + one_line(x))
