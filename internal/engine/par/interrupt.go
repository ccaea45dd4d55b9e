package par

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
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
// The watch begins after a while: setting it up takes longer than parsing a
// small file, and until then a signal ends the process as it ends any other. SIGPIPE is taken at once, which turns writing to
// a closed stdout or stderr into an error instead of death. stop ends the watch.
func Interruptible(parent context.Context, after time.Duration) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	if len(ignored) > 0 { // none would mean all
		signal.Ignore(ignored...)
	}
	in := make(chan os.Signal, 1)
	quit := make(chan struct{})
	begin := func() { signal.Notify(in, ending...) }
	if after == 0 { // it watches before the caller goes on
		begin()
		begin = func() {}
	}
	late := time.AfterFunc(after, func() {
		begin()
		select {
		case s := <-in:
			cancel(&Interrupted{s})
		case <-quit:
		}
		signal.Stop(in)
	})
	return ctx, func() {
		late.Stop()
		close(quit)
		if len(ignored) > 0 {
			signal.Reset(ignored...)
		}
		cancel(context.Canceled)
	}
}
