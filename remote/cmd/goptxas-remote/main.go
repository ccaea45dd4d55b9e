// Command goptxas-remote is goptxas with the Remote Execution API: see
// docs/remote.md.
package main

import (
	"context"
	"os"

	"github.com/goptxas/goptxas/internal/driver"
	"github.com/goptxas/goptxas/internal/engine/par"
	"github.com/goptxas/goptxas/remote"
)

func main() {
	ctx, stop := par.Interruptible(context.Background(), 0)
	code := remote.Main(ctx, driver.Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, os.Getenv)
	stop()
	os.Exit(code)
}
