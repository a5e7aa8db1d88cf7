"""How items of new editions are proposed: from taxonomies to tasks with references and checklists."""
