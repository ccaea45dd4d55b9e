#!/bin/sh
# Vets everything for each platform that is released, and builds the programs
# for the browser. Nothing runs: the tests do that on the machine at hand.
set -eu
cd "$(dirname "$0")/.."
for p in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do
	echo "vet $p"
	GOOS=${p%/*} GOARCH=${p#*/} CGO_ENABLED=0 go vet ./...
done
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
echo "build js/wasm"
GOOS=js GOARCH=wasm go build -o "$out/" ./cmd/goptxas ./cmd/gosass
