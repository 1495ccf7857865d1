"""llama.cpp's server over one GGUF file: `python scripts/llama_cpp_server.py MODEL.gguf --port N`."""

import argparse
import signal

import xllamacpp

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("model")
options.add_argument("--port", type=int, required=True)
options.add_argument("--context", type=int, default=4096, help="tokens of one request, prompt and reply")
options.add_argument("--parallel", type=int, default=4, help="requests answered at once")
given = options.parse_args()

params = xllamacpp.CommonParams()
params.model.path = given.model
params.hostnames = ["127.0.0.1"]
params.port = given.port
params.n_parallel = given.parallel
params.n_ctx = given.context * given.parallel
params.use_jinja = True
params.verbosity = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
signal.pause()
