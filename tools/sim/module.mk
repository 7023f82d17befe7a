sim_PROGRAM := tapesim
sim_USES := tools/actions tools/correct
