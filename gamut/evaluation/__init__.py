"""The benchmarks: what contestants answer, what is observed in the answers, and their scores. Each benchmark has a
folder.
"""
