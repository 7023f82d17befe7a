sba_LIBS := $(SITES_LIBS) -lgsl -lgslcblas
sba_USES := tools/job
sba_ARCHIVE = $(JOB)
sba_JOB := yes
