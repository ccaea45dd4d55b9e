#!/bin/sh
# Shows the compiler at work on examples/saxpy.ptx, as far as this version
# goes: first that the text is read and checked, then the compilation.
set -eu
cd "$(dirname "$0")/.."
ptx=examples/saxpy.ptx
echo "\$ bin/goptxas --version"
bin/goptxas --version
echo
echo "\$ bin/goptxas --parse-only $ptx"
bin/goptxas --parse-only "$ptx"
echo "valid: $(grep -c '\.entry' "$ptx") kernel, $(wc -l <"$ptx") lines"
echo
echo "\$ bin/goptxas --parse-only examples/wrong.ptx"
bin/goptxas --parse-only examples/wrong.ptx || echo "exit $?"
echo
echo "\$ bin/goptxas -arch=sm_90 -v -o bin/saxpy.cubin $ptx"
bin/goptxas -arch=sm_90 -v -o bin/saxpy.cubin "$ptx" || echo "exit $?"
