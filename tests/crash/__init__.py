"""Every place where a process can die: derived from what the functions were seen to do, none of them sampled."""
