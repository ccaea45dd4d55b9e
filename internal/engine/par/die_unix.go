//go:build unix

package par

import (
	"os/signal"
	"syscall"
	"time"
)

// Die ends the process by the signal, so that a shell or make that started it
// knows; it returns the exit code where the signal does not kill.
func (i *Interrupted) Die() int {
	if s, ok := i.Signal.(syscall.Signal); ok {
		signal.Reset(s)
		if syscall.Kill(syscall.Getpid(), s) == nil {
			time.Sleep(time.Second) // it comes at once
		}
	}
	return i.ExitCode()
}
