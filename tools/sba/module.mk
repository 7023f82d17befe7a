sba_LIBS := $(SITES_LIBS) -lgsl -lgslcblas
sba_USES := lib/parallel lib/clocks
sba_ARCHIVE = $(CLOCKS)
sba_JOB := yes
