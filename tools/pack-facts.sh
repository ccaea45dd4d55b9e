#!/bin/sh
# Packs the observed facts about the reference that tests read into testdata/.
# Usage: tools/pack-facts.sh FOLDER, where FOLDER holds diag-cases/,
# accept-cases.txtar, cli-cases.txtar and ptx-*.tsv. Output is reproducible.
set -eu
from=${1:?usage: tools/pack-facts.sh FOLDER}
to=$(cd "$(dirname "$0")/.." && pwd)/testdata
mkdir -p "$to/ptx/diag" "$to/cli"
for f in "$from"/diag-cases/*.txtar; do
	gzip -9nc "$f" >"$to/ptx/diag/$(basename "$f").gz"
done
gzip -9nc "$from/accept-cases.txtar" >"$to/ptx/accept.txtar.gz"
gzip -9nc "$from/cli-cases.txtar" >"$to/cli/cases.txtar.gz"
for f in gating gating-directives features targets rejects; do
	gzip -9nc "$from/ptx-$f.tsv" >"$to/ptx/$f.tsv.gz"
done
