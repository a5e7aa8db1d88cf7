"""How items of new editions are made: a grammar of rules for scenes, drawn by a seed, painted, reviewed by people."""
