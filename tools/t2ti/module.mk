t2ti_USES := tools/actions
t2ti_ARCHIVE = $(ACTIONS)
t2ti_LIBS := $(SITES_LIBS) $(ACTIONS_LIBS)
