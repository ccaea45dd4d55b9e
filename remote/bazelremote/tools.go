//go:build tools

// Package bazelremote pins the cache server that the tests of remote run
// against.
package bazelremote

import _ "github.com/buchgr/bazel-remote/v2"
