dump_PROGRAM := tapedump
