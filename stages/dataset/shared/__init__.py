"""What several stages of the build share: its tables and their joins, texts, plans of what is asked."""
