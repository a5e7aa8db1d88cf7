"""`gamut review` and `gamut label`: what people decide, card by card, on a page that this machine serves to itself."""
