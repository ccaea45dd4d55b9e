package par

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Interrupted is the cause of a context that a signal ended.
type Interrupted struct{ Signal os.Signal }

// Error names the signal.
func (i *Interrupted) Error() string { return fmt.Sprintf("interrupted by %v", i.Signal) }

// ExitCode is the code a shell expects after the signal.
func (i *Interrupted) ExitCode() int {
	if s, ok := i.Signal.(syscall.Signal); ok {
		return 128 + int(s)
	}
	return 128
}

// Interruptible returns a context that ends, with cause *Interrupted, on the
// first SIGINT, SIGTERM or SIGHUP, so that the compile can remove its temporary
// files and give its tokens back before it leaves; a second signal kills.
// SIGPIPE is taken too, which turns writing to a closed stdout or stderr into an
// error instead of death. stop ends the watch.
func Interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	in := make(chan os.Signal, 1)
	pipe := make(chan os.Signal, 1)
	signal.Notify(in, ending...)
	if len(ignored) > 0 { // none would mean all
		signal.Notify(pipe, ignored...)
	}
	quit := make(chan struct{})
	go func() {
		select {
		case s := <-in:
			cancel(&Interrupted{s})
			signal.Stop(in)
		case <-quit:
		}
	}()
	return ctx, func() {
		close(quit)
		signal.Stop(in)
		signal.Stop(pipe)
		cancel(context.Canceled)
	}
}
