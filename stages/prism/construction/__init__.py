"""How prompts of new editions are proposed: sampled from the dataset, composed of elements, translated into Chinese."""
