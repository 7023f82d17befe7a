sba_LIBS := -lgsl -lgslcblas
