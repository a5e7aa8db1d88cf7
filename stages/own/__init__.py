"""Own prompts and own questions: a benchmark from one file of items, judged by checklist, rubric or prompt."""
