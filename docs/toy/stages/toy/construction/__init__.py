"""How the toy's prompts are proposed."""
