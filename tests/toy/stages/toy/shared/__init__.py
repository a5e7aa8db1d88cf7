"""What all stages of the toy rest on: the record of the benchmark."""
