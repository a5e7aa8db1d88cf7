"""How items of new editions are proposed: steps over slots, the stages that they run in, and the proposal."""
