#!/usr/bin/env bash
# Build a small board through real servers: `transformers serve` and llama.cpp's, each started by the build and
# found at an address. No GPU, no account; 1.5 GB of packages go into FOLDER (default build/servers).
#
#   scripts/real_servers.sh [FOLDER]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mkdir -p "${1:-$root/build/servers}" && cd "${1:-$root/build/servers}" && pwd)
if [ ! -x "$folder/venv/bin/truerate" ]; then
  python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" install --quiet -c "$root/constraints.txt" -e "$root[build]"
  "$folder/venv/bin/pip" install --quiet -c "$root/constraints.txt" 'transformers[serving]' xllamacpp gguf
fi
exec "$folder/venv/bin/python" "$root/scripts/real_servers.py" "$folder"
