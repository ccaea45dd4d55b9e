package driver

import (
	"context"
	"errors"
	"os"

	"github.com/goptxas/goptxas/internal/engine/par/jobserver"
)

// openJobserver looks for the jobserver of the make that started us, where
// one was asked for. What there is to say about it comes after what there is
// to say about the program.
func (j *Job) openJobserver() {
	if !j.Settings.Jobserver {
		return
	}
	if j.tokens, j.noJobs = jobserver.Open(os.Getenv("MAKEFLAGS")); j.noJobs != nil {
		j.tokens = nil
		if !errors.Is(j.noJobs, jobserver.ErrAbsent) {
			j.Settings.Split = 1
		}
	}
}

// judgeJobserver tells when one was asked for and there is none.
func (j *Job) judgeJobserver() {
	switch {
	case j.noJobs == nil:
	case errors.Is(j.noJobs, jobserver.ErrAbsent):
		j.warnf("GNU Jobserver support requested, but no compatible jobserver found. Ignoring '--jobserver'")
	default: // a recipe without '+' names descriptors that are not the server's
		j.warnf("The jobserver of make cannot be used (%v): compiling one kernel at a time", j.noJobs)
	}
}

// enter waits for a token for one piece of work; false means that there is
// none any more. A jobserver that breaks is noticed where code is generated.
func (j *Job) enter(ctx context.Context) bool {
	if j.tokens == nil {
		return true
	}
	return j.tokens.Acquire(ctx) == nil
}

func (j *Job) leave() {
	if j.tokens != nil {
		j.tokens.Release()
	}
}
