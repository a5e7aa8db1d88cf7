"""The papers that datasets, benchmarks and cards follow, as BibTeX."""

from __future__ import annotations

FLUX_REASON = """\
@misc{fang2025fluxreason,
  title = {{FLUX-Reason-6M \\& PRISM-Bench: A Million-Scale Text-to-Image Reasoning Dataset and Comprehensive Benchmark}},
  author = {Rongyao Fang and Aldrich Yu and Chengqi Duan and Linjiang Huang and Shuai Bai and Yuxuan Cai and Kun Wang and Si Liu and Xihui Liu and Hongsheng Li},
  year = {2025},
  eprint = {2509.09680},
  archivePrefix = {arXiv},
  url = {https://arxiv.org/abs/2509.09680}
}
"""  # noqa: E501
"""Both the dataset's pipeline and a benchmark."""
