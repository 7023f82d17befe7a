# tape, the command in front of the others, and the completion of command lines.
$(eval $(call module,front,options catalogue reader lib/common lib/model front))
$(eval $(call program,tape,$(call objects,$(wildcard front/*.c)) $(COMMON) $(MODEL) $(READER) $(CATALOGUE),-lm))

# completion of command lines, which tape prints from the table of options
COMPLETION := $(B)/completion
$(COMPLETION)/%: $(BIN)/tape ; @mkdir -p $(@D) && $(BIN)/tape completion $* > $@.tmp && mv $@.tmp $@
all: $(addprefix $(COMPLETION)/,bash zsh fish)
