// Package par runs the tasks of a compile on a fixed number of workers.
//
// Tasks wait in one queue, the highest priority first and in the order of
// submission among equals. Every worker has a context of its own (pools,
// scratch, diagnostics), made once and used by one task at a time, so tasks
// share nothing. A panic is a Bug of its task; the worker goes on.
package par

import (
	"context"
	"errors"
	"sync"

	"github.com/goptxas/goptxas/internal/engine/diag"
)

// ErrStopped is the result of tasks submitted to workers that have stopped.
var ErrStopped = errors.New("the workers have stopped")

// Limiter bounds the tasks that run at once across processes: a worker
// acquires before each task and releases after it.
type Limiter interface {
	Acquire(ctx context.Context) error
	Release()
}

// Task is one piece of work.
type Task[C any] struct {
	Name     string // for the report of a Bug
	Priority int64  // higher runs first; the cost of the work makes the longest first
	Run      func(ctx context.Context, c C) error
}

// Job is a submitted task.
type Job struct {
	done chan struct{}
	err  error
}

// Wait returns the task's error once it has ended.
func (j *Job) Wait() error {
	<-j.done
	return j.err
}

// Options say what workers to make.
type Options[C any] struct {
	N       int             // number of workers, at least 1
	Make    func(i int) C   // makes the context of worker i; nil: the zero C
	Free    func(c C)       // called with each context when its worker ends; may be nil
	Limiter Limiter         // may be nil
	Context context.Context // ends all tasks when done; nil: never
}

// Workers is a set of workers with their queue.
type Workers[C any] struct {
	opt    Options[C]
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	work    sync.Cond // work was added, or the state changed
	queue   queue[C]
	stopped bool
	ended   sync.WaitGroup
}

// New starts the workers.
func New[C any](opt Options[C]) *Workers[C] {
	w := &Workers[C]{opt: opt}
	w.work.L = &w.mu
	base := opt.Context
	if base == nil {
		base = context.Background()
	}
	w.ctx, w.cancel = context.WithCancelCause(base)
	for i := range max(1, opt.N) {
		var c C
		if opt.Make != nil {
			c = opt.Make(i)
		}
		w.ended.Add(1)
		go w.loop(c)
	}
	return w
}

// Submit queues a task. It never blocks.
func (w *Workers[C]) Submit(t Task[C]) *Job {
	j := &Job{done: make(chan struct{})}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		j.finish(ErrStopped)
		return j
	}
	w.queue.push(t, j)
	w.work.Signal()
	return j
}

// Stop refuses new tasks, lets the queued ones run, and returns when all
// workers have ended.
func (w *Workers[C]) Stop() {
	w.mu.Lock()
	w.stopped = true
	w.work.Broadcast()
	w.mu.Unlock()
	w.ended.Wait()
	w.cancel(ErrStopped)
}

func (j *Job) finish(err error) {
	j.err = err
	close(j.done)
}

// loop is one worker. A task may end its goroutine with runtime.Goexit; a new
// goroutine then takes over the worker's context.
func (w *Workers[C]) loop(c C) {
	Deepen()
	clean := false
	defer func() {
		if !clean {
			go w.loop(c)
			return
		}
		if w.opt.Free != nil {
			w.opt.Free(c)
		}
		w.ended.Done()
	}()
	for {
		t, j, ok := w.take()
		if !ok {
			clean = true
			return
		}
		w.run(t, j, c)
	}
}

// take waits for a task; false when the worker must end.
func (w *Workers[C]) take() (Task[C], *Job, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.queue.len() == 0 {
		if w.stopped {
			return Task[C]{}, nil, false
		}
		w.work.Wait()
	}
	t, j := w.queue.pop()
	return t, j, true
}

func (w *Workers[C]) run(t Task[C], j *Job, c C) {
	err := error(&diag.Bug{Level: diag.Kernel, Func: t.Name, Msg: "the task ended its goroutine"})
	defer func() { j.finish(err) }()
	if e := w.enter(); e != nil {
		err = e
		return
	}
	if w.opt.Limiter != nil {
		defer w.opt.Limiter.Release()
	}
	g := diag.Guard{Level: diag.Kernel, Where: func() diag.Where { return diag.Where{Func: t.Name} }}
	err = g.Run(func() error { return t.Run(w.ctx, c) })
}

// enter gets permission to run a task, or the reason why none may.
func (w *Workers[C]) enter() error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	if w.opt.Limiter == nil {
		return nil
	}
	if err := w.opt.Limiter.Acquire(w.ctx); err != nil {
		if w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		return err
	}
	return nil
}
