# tape, the command in front of the others, and the completion of command lines.
$(eval $(call copied,$(BIN)/tape,front/tape,755))
PROGRAMS += $(BIN)/tape
all: $(BIN)/tape
