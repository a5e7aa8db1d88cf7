"""What is told of GapEval's board: Table 2, the gap over both scores, a second judge, other benchmarks' boards."""
