tico_LIBS := $(SITES_LIBS) -lgsl -lgslcblas -lpthread
