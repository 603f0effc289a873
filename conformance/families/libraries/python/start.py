# SPDX-License-Identifier: MIT
# start.py -- the last lines of a program: begin(options) is that of the file before
if __name__ == "__main__":
    main(begin)
