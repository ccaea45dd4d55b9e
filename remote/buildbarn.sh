#!/bin/sh
# Compiles a module by actions on a Buildbarn of one machine.
#   buildbarn.sh BIN [MODULE.ptx [SM]]
# BIN is a folder with bb_storage, bb_scheduler, bb_worker and bb_runner, built
# from buildbarn/bb-storage and buildbarn/bb-remote-execution. Compares the file
# with that of a compilation here, without servers, with an empty and with a
# full action cache. The module should have many kernels.
set -eu
bin=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
module=${2:-}
sm=${3:-sm_90}
tmp=$(mktemp -d /tmp/bb.XXXXXX)
pids=
trap 'for p in $pids; do kill $p 2>/dev/null || :; done; wait 2>/dev/null; rm -rf "$tmp"' EXIT
cd "$tmp"
mkdir build cache
port=${BUILDBARN_PORT:-18980}
storage=127.0.0.1:$port clients=127.0.0.1:$((port + 1)) workers=127.0.0.1:$((port + 2)) states=127.0.0.1:$((port + 3))
allow='{ allow: {} }'
server() { echo "{ listenAddresses: ['$1'], authenticationPolicy: $allow }"; }
blobs() { # of so many new blocks
	echo "{ 'local': { keyLocationMapInMemory: { entries: 100000 }, keyLocationMapMaximumGetAttempts: 16, keyLocationMapMaximumPutAttempts: 64,
  oldBlocks: 2, currentBlocks: 4, newBlocks: $1, blocksInMemory: { blockSizeBytes: 64 * 1024 * 1024 } } }"
}
far="{ grpc: { client: { address: '$storage' } } }"
zstd='{ maximumEncoders: 4, maximumDecoders: 4, encoderWindowSizeBytes: 1048576, decoderWindowSizeBytes: 8388608, encoderLevel: 1 }'
cat >storage.jsonnet <<EOF
{ grpcServers: [$(server $storage)], maximumMessageSizeBytes: 16 * 1024 * 1024, zstdPool: $zstd,
  contentAddressableStorage: { backend: $(blobs 2), getAuthorizer: $allow, putAuthorizer: $allow, findMissingAuthorizer: $allow },
  actionCache: { backend: $(blobs 1), getAuthorizer: $allow, putAuthorizer: $allow },
  schedulers: { '': { endpoint: { address: '$clients' } } }, executeAuthorizer: $allow }
EOF
cat >scheduler.jsonnet <<EOF
{ clientGrpcServers: [$(server $clients)], workerGrpcServers: [$(server $workers)], buildQueueStateGrpcServers: [$(server $states)],
  contentAddressableStorage: $far, maximumMessageSizeBytes: 16 * 1024 * 1024, zstdPool: $zstd,
  executeAuthorizer: $allow, modifyDrainsAuthorizer: $allow, killOperationsAuthorizer: $allow, synchronizeAuthorizer: $allow,
  actionRouter: { simple: { platformKeyExtractor: { action: {} }, invocationKeyExtractors: [],
    initialSizeClassAnalyzer: { defaultExecutionTimeout: '600s', maximumExecutionTimeout: '600s' } } },
  platformQueueWithNoWorkersTimeout: '60s' }
EOF
cat >worker.jsonnet <<EOF
{ blobstore: { contentAddressableStorage: $far, actionCache: $far }, browserUrl: 'http://localhost/', maximumMessageSizeBytes: 16 * 1024 * 1024,
  zstdPool: $zstd, scheduler: { address: '$workers' }, outputUploadConcurrency: 4, inputDownloadConcurrency: 4,
  directoryCache: { maximumCount: 1000, maximumSizeBytes: 1000 * 1024, cacheReplacementPolicy: 'LEAST_RECENTLY_USED' },
  buildDirectories: [{
    native: { buildDirectoryPath: '$tmp/build', cacheDirectoryPath: '$tmp/cache', maximumCacheFileCount: 1000,
      maximumCacheSizeBytes: 1024 * 1024 * 1024, cacheReplacementPolicy: 'LEAST_RECENTLY_USED' },
    runners: [{ endpoint: { address: 'unix://$tmp/runner' }, concurrency: 2, platform: {}, workerId: { host: 'here' } }] }] }
EOF
cat >runner.jsonnet <<EOF
{ buildDirectoryPath: '$tmp/build', grpcServers: [{ listenPaths: ['$tmp/runner'], authenticationPolicy: $allow }] }
EOF
for s in storage scheduler runner worker; do
	"$bin/bb_$s" $s.jsonnet >$s.log 2>&1 &
	pids="$pids $!"
	sleep 1
done
(cd "$here" && CGO_ENABLED=0 go build -buildvcs=false -o "$tmp/goptxas-remote" ./cmd/goptxas-remote)
if [ -z "$module" ]; then
	module=$tmp/module.ptx
	{
		printf '.version 8.0\n.target sm_80\n.address_size 64\n.global .u32 counter;\n'
		i=0
		while [ $i -lt 60 ]; do
			printf '.visible .entry k%d(.param .u64 p)\n{\n.reg .b64 %%a;\n.reg .b32 %%r;\nld.param.u64 %%a, [p];\nld.global.u32 %%r, [%%a];\n' $i
			printf 'mad.lo.u32 %%r, %%r, %%r, %d;\nst.global.u32 [%%a], %%r;\natom.global.add.u32 %%r, [counter], 1;\nret;\n}\n' $i
			i=$((i + 1))
		done
	} >"$module"
fi
./goptxas-remote -arch=$sm -o here.cubin "$module"
for run in empty full; do
	if ! ./goptxas-remote --remote=grpc://$storage --remote-execute --remote-verbose --remote-fallback=fail --remote-least=${LEAST:-1000} --remote-groups=8 -arch=$sm -o $run.cubin "$module"; then
		tail -n 5 ./*.log >&2
		exit 1
	fi
	cmp here.cubin $run.cubin
	echo "$run action cache: same bytes"
done
