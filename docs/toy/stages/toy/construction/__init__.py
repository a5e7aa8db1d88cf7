"""How the toy's items are proposed."""
