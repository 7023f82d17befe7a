# The Python module, where it finds the shared reader library and the tools.
PYTHON_MODULE := $(LIB)/python3/dist-packages/tape.py
$(eval $(call copied,$(PYTHON_MODULE),python/tape.py,644))
