package gpu

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// Pool runs requests in worker processes. A kernel that faults, crashes or
// hangs costs its worker and nothing else: the next request starts a new
// one.
type Pool struct {
	Command []string // starts a worker that calls Work on its stdin and stdout
	Workers int
	Limit   time.Duration // for one request
	Total   time.Duration // for all of them; 0 = no limit. What is left then is not run
	Careful bool          // behind a kernel that hangs, and where no worker starts, nothing more runs

	stopped atomic.Bool
}

// Job is a sequence of requests of which each may depend on the results of
// those before it: Next returns the next one, or nil when there is nothing
// more to ask, and Done takes the results.
type Job struct {
	Next func(so []*Result) *Request
	Done func(all []*Result)
}

// Run runs n jobs on the pool's workers.
func (p *Pool) Run(n int, job func(n int) Job) {
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(1, p.Workers) {
		wg.Go(func() {
			var w *process
			for k := range next {
				w = p.job(w, job(k))
			}
			if w != nil {
				w.stop()
			}
		})
	}
	end := time.Now().Add(p.Total)
	for k := range n {
		if p.Total > 0 && time.Now().After(end) {
			job(k).Done([]*Result{{Stage: "start", Err: "not run: out of time"}})
			continue
		}
		if p.stopped.Load() {
			job(k).Done([]*Result{{Stage: "start", Err: "not run: an earlier kernel hangs"}})
			continue
		}
		next <- k
	}
	close(next)
	wg.Wait()
}

// Session runs jobs one after the other in one worker, which what it made
// for one of them serves for the next.
type Session struct {
	p *Pool
	w *process
}

// Session returns a session of the pool that has not begun.
func (p *Pool) Session() *Session { return &Session{p: p} }

// Run runs a job.
func (s *Session) Run(j Job) { s.w = s.p.job(s.w, j) }

// Close ends the session.
func (s *Session) Close() {
	if s.w != nil {
		s.w.stop()
		s.w = nil
	}
}

// job runs one job and returns the worker for the next one.
func (p *Pool) job(w *process, j Job) *process {
	var all []*Result
	for q := j.Next(all); q != nil; q = j.Next(all) {
		if w == nil {
			w = p.start()
		}
		var r *Result
		if p.stopped.Load() {
			all = append(all, &Result{Stage: "start", Err: "not run: an earlier kernel hangs"})
			break
		}
		r, w = p.one(w, q)
		if p.Careful && (r.Err == "hang" || r.Stage == "start") {
			p.stopped.Store(true)
		}
		if r.Stale { // not this kernel's fault
			w = p.start()
			r, w = p.one(w, q)
		}
		all = append(all, r)
	}
	j.Done(all)
	return w
}

type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   chan []byte
	errs  bytes.Buffer
	ready atomic.Bool // it has a GPU
}

func (p *Pool) start() *process {
	c := exec.Command(p.Command[0], p.Command[1:]...)
	w := &process{cmd: c, out: make(chan []byte, 1)}
	c.Stderr = &w.errs
	in, err1 := c.StdinPipe()
	out, err2 := c.StdoutPipe()
	if err1 != nil || err2 != nil || c.Start() != nil {
		return nil
	}
	w.in = in
	go func() {
		defer close(w.out)
		r := bufio.NewReaderSize(out, 1<<20)
		for {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			switch line = answer(line); {
			case line == nil:
			case bytes.HasPrefix(line, []byte(`{"stage":"`+stageReady+`"`)):
				w.ready.Store(true)
			default:
				w.out <- line
			}
		}
	}()
	return w
}

// answer returns the result in a line, nil if there is none: kernels may
// print before it.
func answer(line []byte) []byte {
	if at := bytes.LastIndex(line, []byte(`{"stage":`)); at >= 0 {
		return line[at:]
	}
	return nil
}

func (w *process) stop() {
	w.in.Close()
	w.cmd.Wait() //nolint:errcheck // how it ends no longer matters
}

// kill ends the worker. A process whose kernel hangs can take long to die,
// so nobody waits for it.
func (w *process) kill() {
	w.cmd.Process.Kill() //nolint:errcheck // it may be gone already
	go func() {
		for range w.out {
			continue
		}
		w.cmd.Wait() //nolint:errcheck // killed on purpose
	}()
}

// one runs a request in w and returns the worker that can take the next
// one, nil if a new one is needed.
func (p *Pool) one(w *process, q *Request) (*Result, *process) {
	if w == nil {
		return &Result{Stage: "start", Err: "worker did not start"}, nil
	}
	b, err := json.Marshal(q)
	if err != nil {
		return &Result{Stage: "start", Err: err.Error()}, w
	}
	if _, err := w.in.Write(append(b, '\n')); err != nil {
		w.kill()
		return &Result{Stage: "start", Err: "worker died"}, nil
	}
	select {
	case line, ok := <-w.out:
		if !ok && !w.ready.Load() { // it never had a GPU, so that the kernel is not to blame
			w.cmd.Wait() //nolint:errcheck // what it says is enough
			return &Result{Stage: "start", Err: "worker did not start: " + w.errs.String()}, nil
		}
		if !ok {
			w.kill()
			return &Result{Stage: "run", Err: "crash"}, nil
		}
		r := &Result{}
		if err := json.Unmarshal(line, r); err != nil {
			w.kill()
			return &Result{Stage: "run", Err: err.Error()}, nil
		}
		if r.poisoned() {
			w.stop()
			return r, nil
		}
		return r, w
	case <-time.After(p.Limit):
		w.kill()
		return &Result{Stage: "run", Err: "hang"}, nil
	}
}
