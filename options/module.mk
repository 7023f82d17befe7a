# The options of every program: the table, and what reads arguments by it.
$(eval $(call module,options,catalogue options))
OPTIONS := $(B)/obj/liboptions.a
$(eval $(call archive,$(OPTIONS),$(wildcard options/*.c)))
