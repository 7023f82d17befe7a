# tape, the command in front of the others, and the completion of command lines.
$(eval $(call module,front,catalogue tools/common tools/model front))
$(eval $(call program,tape,$(call objects,$(wildcard front/*.c)) $(COMMON) $(CATALOGUE)))
