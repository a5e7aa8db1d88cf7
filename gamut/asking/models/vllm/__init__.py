"""Chat models that a vLLM server of our own serves on this machine."""
