tapecut_USES := lib/window
tapecut_ARCHIVE = $(WINDOW)
