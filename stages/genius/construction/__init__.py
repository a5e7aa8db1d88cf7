"""How items of new editions are made: a rule grammar over scenes, drawn by a seed, painted, reviewed by people."""
