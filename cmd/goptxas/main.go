// Command goptxas compiles PTX to cubins, with the command line of ptxas.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"goptxas/internal/driver"
)

func main() { os.Exit(run()) }

// run compiles until it is done or a signal comes. After a signal nothing
// half-written is left behind, and the process dies of that signal, as its
// parent expects.
func run() int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	got := make(chan os.Signal, 1)
	signal.Notify(got, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan int, 1)
	go func() {
		done <- driver.Main(ctx, driver.World{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
	}()
	select {
	case code := <-done:
		return code
	case sig := <-got:
		cancel()
		select {
		case <-done:
		case <-time.After(2 * time.Second): // stuck in a read that no signal ends
		}
		signal.Reset()
		if s, ok := sig.(syscall.Signal); ok {
			syscall.Kill(os.Getpid(), s) //nolint:errcheck // the exit below is the fallback
		}
		return driver.Failed
	}
}
