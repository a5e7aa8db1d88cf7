"""Knowledge studies: facts injected into a model or edited, on one side, and their effect on the other side."""
