"""The pages of two versions side by side: this workspace and a revision."""
