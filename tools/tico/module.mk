tico_LIBS := -lgsl -lgslcblas
