"""What several stages of the build share: its parameters, its tables and their joins, texts, plans of what is asked."""
