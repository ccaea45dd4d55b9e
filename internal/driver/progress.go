package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/pipeline"
)

// screen is a stream with a line at its end that is redrawn: what is written
// to it takes the line away first.
type screen struct {
	mu    sync.Mutex
	out   io.Writer
	shown bool
}

// wipe goes back to the start of the line and clears it.
const wipe = "\r\x1b[K"

// Write writes behind all earlier text.
func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	return s.out.Write(b)
}

// draw shows a line until something else is written.
func (s *screen) draw(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = true
	_, _ = io.WriteString(s.out, wipe+text) // a closed terminal must not stop the compilation
}

// clear takes the line away. The caller holds the lock.
func (s *screen) clear() {
	if s.shown {
		_, _ = io.WriteString(s.out, wipe)
		s.shown = false
	}
}

// firstReport is when progress is told first: what takes less says nothing.
const firstReport = 60 * time.Millisecond

// reportEvery is how often, by form.
var reportEvery = [...]time.Duration{asLine: 100 * time.Millisecond, asPlain: 2 * time.Second, asJSON: 500 * time.Millisecond}

const (
	asLine = iota
	asPlain
	asJSON
)

// progress tells how far a compilation is. A nil one tells nothing.
type progress struct {
	screen *screen
	form   int
	begun  time.Time
	stop   func()

	name         atomic.Pointer[string] // of the stage
	instructions atomic.Int64
	phase        atomic.Pointer[string] // that ended last

	mu    sync.Mutex
	total int
	unit  string // what is counted
	count int    // of these, done
	size  []int64
	whole int64     // text of all kernels
	made  int64     // text of those that are done
	since time.Time // when the first kernel was begun
}

// startProgress begins to tell about a command's compilation where the line
// or a terminal asks for it. It puts itself between the messages and the
// stream where both show a line.
func startProgress(ctx context.Context, line *cli.Line, w *Env) *progress {
	p := &progress{begun: time.Now()}
	switch form := line.Text(cli.Progress, ""); {
	case form == "plain":
		p.form = asPlain
	case form == "json":
		p.form = asJSON
	case form == "" && isTerminal(w.Stderr) && line.Text(cli.Diagnostics, "") != "json":
		p.form = asLine
	default:
		return nil
	}
	p.screen = &screen{out: w.Stderr}
	w.Stderr = p.screen
	if isTerminal(w.Stdout) && p.form == asLine {
		w.Stdout = p.screen
	}
	p.enter("reading")
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.run(ctx)
	}()
	p.stop = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	return p
}

// end stops telling.
func (p *progress) end() {
	if p != nil {
		p.stop()
	}
}

// enter names the stage that begins.
func (p *progress) enter(name string) {
	if p != nil {
		p.name.Store(&name)
	}
}

// checked tells that body n of total is being checked.
func (p *progress) checked(n, total int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count, p.total, p.unit = max(n, p.count), total, "bodies"
	p.enter("checking")
}

// Begin notes what there is to do.
func (p *progress) Begin(out *pipeline.Output, size []int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count, p.total, p.unit, p.since = 0, len(out.Funcs), "kernels", time.Now()
	p.size = make([]int64, len(out.Funcs))
	for n, fn := range out.Funcs {
		p.size[n] = size[fn]
		p.whole += size[fn]
	}
	p.enter("compiling")
}

// Phase notes what was done last.
func (p *progress) Phase(_ int, _, phase string, _ time.Time, _ time.Duration) {
	p.phase.Store(&phase)
}

// Done counts a kernel.
func (p *progress) Done(_, n int, k *link.Kernel) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	p.made += p.size[n]
	if k != nil {
		p.instructions.Add(int64(len(k.Code.Text) / instructionBytes))
	}
}

// instructionBytes is the length of a machine instruction.
const instructionBytes = 16

// run tells again and again until the compilation ends.
func (p *progress) run(ctx context.Context) {
	t := time.NewTimer(firstReport)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			p.screen.mu.Lock()
			p.screen.clear()
			p.screen.mu.Unlock()
			return
		case <-t.C:
			p.tell()
			t.Reset(reportEvery[p.form])
		}
	}
}

// report is what is told at once, as JSON has it.
type report struct {
	Stage        string   `json:"stage"`
	Phase        string   `json:"phase,omitempty"` // that ended last in one of the kernels
	Done         int      `json:"done"`
	Total        int      `json:"total"`
	Unit         string   `json:"unit,omitempty"` // what is counted
	Instructions int64    `json:"instructions"`
	Seconds      float64  `json:"seconds"`
	SecondsLeft  *float64 `json:"secondsLeft,omitempty"`
	Bytes        int64    `json:"memoryBytes"`
}

// look collects a report.
func (p *progress) look() report {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := report{
		Stage: *p.name.Load(), Done: p.count, Total: p.total, Unit: p.unit, Instructions: p.instructions.Load(),
		Seconds: time.Since(p.begun).Seconds(), Bytes: heapBytes(),
	}
	if ph := p.phase.Load(); ph != nil {
		r.Phase = *ph
	}
	if p.made > 0 {
		left := time.Since(p.since).Seconds() * float64(p.whole-p.made) / float64(p.made)
		r.SecondsLeft = &left
	}
	return r
}

// tell shows how far it is.
func (p *progress) tell() {
	r := p.look()
	switch p.form {
	case asJSON:
		if b, err := json.Marshal(map[string]report{"progress": r}); err == nil {
			_, _ = p.screen.Write(append(b, '\n'))
		}
	case asPlain:
		_, _ = p.screen.Write([]byte(r.text() + "\n"))
	default:
		p.screen.draw(r.text())
	}
}

// text returns the report as a line for people.
func (r *report) text() string {
	b := fmt.Appendf(nil, "goptxas: %s", r.Stage)
	if r.Total > 0 {
		b = fmt.Appendf(b, " %d/%d %s", r.Done, r.Total, r.Unit)
	}
	if r.Instructions > 0 {
		b = append(append(append(b, ", "...), thousands(r.Instructions)...), " instructions"...)
	}
	b = fmt.Appendf(b, ", %.1f s", r.Seconds)
	switch {
	case r.SecondsLeft != nil:
		b = fmt.Appendf(b, ", about %.0f s left", *r.SecondsLeft)
	case r.Phase != "":
		b = fmt.Appendf(b, ", after %s", r.Phase)
	}
	b = fmt.Appendf(b, ", %d MB", r.Bytes>>20)
	return string(b)
}

// thousands groups the digits of a number.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
