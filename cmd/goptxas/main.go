// Command goptxas compiles PTX to cubins, with the command line of ptxas.
package main

import (
	"context"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/goptxas/goptxas/internal/driver"
	"github.com/goptxas/goptxas/internal/engine/par"
	"github.com/goptxas/goptxas/internal/lsp"
	"github.com/goptxas/goptxas/internal/serve"
	"github.com/goptxas/goptxas/internal/view"
)

func main() { os.Exit(run()) }

// patience is how long a run may take to end after a signal: output appears
// whole or not at all, so nothing needs to be cleaned up. One that shares the
// threads of make gives its tokens back first. A read from a terminal would
// never notice.
const (
	patience = 20 * time.Millisecond
	withMake = 2 * time.Second
)

// moment is how long a run lasts before it watches for signals, which takes
// a twentieth of the time of a small compile: until then one ends it at once,
// and it leaves nothing behind. lsp and serve are no other.
const moment = 50 * time.Millisecond

// How much a heap may grow before it is collected, where GOGC does not say. A
// compile lives for moments: what a first collection would save comes back at
// its end, and most end before. Those that do not take little more memory than
// what lives in them with the second number, in the same time as with twice that.
const (
	gcPercent = 400
	gcLater   = 100 // once something was collected
)

// born is dead at the next collection.
type born struct{ _ *born }

// collected sets how much the heap may grow after the first collection.
func collected(percent int) { debug.SetGCPercent(percent) }

// memoryLimit is where the heap of a large module stops growing that freely,
// where GOMEMLIMIT does not say.
const memoryLimit = 4 << 30

// run compiles until it is done or a signal ends it. Nobody asks where memory
// came from: to note that for every half megabyte takes 3 to 5 % of the time of
// most compiles.
func run() int {
	runtime.MemProfileRate = 0
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
		runtime.AddCleanup(&born{}, collected, gcLater)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	after, wait := moment, patience
	if slices.ContainsFunc(os.Args, func(a string) bool { return strings.TrimLeft(a, "-") == "jobserver" }) {
		after, wait = 0, withMake
	}
	ctx, _ := par.Interruptible(context.Background(), after) // the watch ends with the process
	if len(os.Args) > 1 && os.Args[1] == "lsp" && !exists("lsp") {
		return lsp.Serve(ctx, os.Args[2:], os.Stdin, os.Stdout)
	}
	if len(os.Args) > 1 && os.Args[1] == "serve" && !exists("serve") {
		return serve.Command(ctx, os.Args[2:], os.Stderr)
	}
	done := make(chan int, 1)
	go func() {
		par.Deepen()
		done <- driver.Main(ctx, driver.Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Viewer: func() driver.Viewer { return view.New() }, Remote: serve.Compile, Bound: func(n int64) { debug.SetMemoryLimit(n) }, Large: par.LargePages})
	}()
	select {
	case code := <-done:
		return code
	case <-ctx.Done():
	}
	select {
	case <-done:
	case <-time.After(wait):
	}
	var sig *par.Interrupted
	if errors.As(context.Cause(ctx), &sig) {
		return sig.Die()
	}
	return driver.Failed
}

// exists reports whether a file of that name is there: ptxas would compile it.
func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
