t2ti_USES := lib/actions
t2ti_ARCHIVE = $(ACTIONS)
t2ti_LIBS := $(SITES_LIBS) $(ACTIONS_LIBS)
