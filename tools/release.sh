#!/bin/sh
# Makes the archives of a release in out/release: for each platform the two
# programs, the licence and the readme, then checksums and a bill of materials.
# The same source and the same Go give the same bytes.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^const OwnVersion = "\(.*\)"$/\1/p' internal/driver/cli/help.go)
out=out/release
rm -rf "$out"
mkdir -p "$out"
stamp='2020-01-01 00:00:00Z'
for p in ${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}; do
	os=${p%/*} arch=${p#*/}
	name=goptxas-$version-$os-$arch
	dir=$out/$name
	mkdir -p "$dir"
	GOOS=$os GOARCH=$arch CGO_ENABLED=0 GOFLAGS= go build -trimpath -buildvcs=false -pgo=cmd/goptxas/release.pgo -ldflags='-s -w' -o "$dir/" ./cmd/goptxas ./cmd/gosass
	cp LICENSE README.md CHANGELOG.md "$dir/"
	tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner --mtime="$stamp" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
	rm -r "$dir"
	echo "$name.tar.gz"
done
go=$(go env GOVERSION)
cat >"$out/sbom.cdx.json" <<SBOM
{"bomFormat":"CycloneDX","specVersion":"1.5","version":1,
 "metadata":{"component":{"type":"application","name":"goptxas","version":"$version","licenses":[{"license":{"id":"Apache-2.0"}}],"purl":"pkg:golang/github.com/goptxas/goptxas@v$version"}},
 "components":[{"type":"library","name":"std","version":"$go","purl":"pkg:golang/std@${go#go}","licenses":[{"license":{"id":"BSD-3-Clause"}}]}]}
SBOM
# What the bill says must be so: nothing but the standard library is linked in.
others=$(go list -deps -f '{{if and .Module (not .Module.Main)}}{{.Module.Path}}{{end}}' ./cmd/goptxas ./cmd/gosass | sort -u)
if [ -n "$others" ]; then
	echo "release: the programs need more than the standard library: $others" >&2
	exit 1
fi
(cd "$out" && sha256sum *.tar.gz sbom.cdx.json >SHA256SUMS)
cat "$out/SHA256SUMS"
