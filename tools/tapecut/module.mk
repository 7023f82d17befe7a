tapecut_USES := tools/cut
tapecut_ARCHIVE = $(CUT)
