"""Knowledge studies: facts injected into a model or edited, on one side, and what becomes of them on the other."""
