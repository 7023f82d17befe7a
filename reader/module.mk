$(eval $(call module,reader,catalogue reader))
READER := $(B)/obj/libreader.a
reader_SRC := $(call sources,reader)
$(eval $(call archive,$(READER),$(reader_SRC)))
