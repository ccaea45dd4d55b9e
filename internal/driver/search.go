package driver

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/store"
	"github.com/goptxas/goptxas/internal/pipeline"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// search is what --search asks for: how long to look for faster code, and by
// what to compare it. Without a command every kernel is judged by an estimate;
// with one it tells what a file costs, and candidates whose results are others
// than those of the usual code are refused.
type search struct {
	ask  pipeline.Search
	with string // the command; "": none

	mu    sync.Mutex
	found []pipeline.Found // of kernels that are done
}

// readSearch reads the options about searching; nil without one.
func readSearch(line *cli.Line) (*search, *cli.Fault) {
	if !line.Has(cli.Search) && !line.Has(cli.SearchCandidates) {
		return nil, nil
	}
	s := &search{with: line.Text(cli.SearchWith, "")}
	if line.Has(cli.Search) {
		text := line.Text(cli.Search, "")
		t, err := strconv.ParseFloat(text, 64)
		if err != nil || t <= 0 || t > 1e6 {
			return nil, cli.Faultf("Value '%s' of option 'search' is no number of seconds", text)
		}
		s.ask.Limit = time.Duration(t * float64(time.Second))
	}
	for _, x := range [...]struct {
		id cli.ID
		to func(uint64)
	}{
		{cli.SearchCandidates, func(n uint64) { s.ask.Candidates = int(n) }},
		{cli.SearchSeed, func(n uint64) { s.ask.Seed = n }},
	} {
		if !line.Has(x.id) {
			continue
		}
		text := line.Text(x.id, "")
		n, err := strconv.ParseUint(text, 10, 31)
		if err != nil || n == 0 && x.id == cli.SearchCandidates {
			return nil, cli.Faultf("Value '%s' of option '%s' is no such number", text, cli.Table[x.id].Long)
		}
		x.to(n)
	}
	if s.ask.Candidates > 0 { // a number that is asked for is reached, whatever the time
		s.ask.Limit = 0
	}
	return s, nil
}

// estimated returns the search that the pipeline makes by itself, nil where
// there is none.
func (s *search) estimated(p *progress) *pipeline.Search {
	if s == nil || s.with != "" {
		return nil
	}
	ask := s.ask
	ask.Tell = func(f *pipeline.Found) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if f.Done {
			s.found = append(s.found, *f)
		}
		p.enter(searching(f))
	}
	return &ask
}

// searching is how far a search is, as a stage of the progress.
func searching(f *pipeline.Found) string {
	return fmt.Sprintf("searching %s (%d candidates, %.1f %% of the usual time)", f.Kernel, f.Tried, 100*f.Best/f.Usual)
}

// report says what was found, in the order in which the kernels are written.
func (s *search) report(sink *diag.Sink, order []string) {
	if s == nil {
		return
	}
	slices.SortStableFunc(s.found, func(a, b pipeline.Found) int {
		return slices.Index(order, a.Kernel) - slices.Index(order, b.Kernel)
	})
	by := "estimated"
	if s.with != "" {
		by = "measured"
	}
	for _, f := range s.found {
		if f.Kernel == "" { // a command judges the file as a whole
			f.Kernel = strings.Join(order, "', '")
		}
		text := fmt.Sprintf("Search for '%s': %d candidates, %d refused, ", f.Kernel, f.Tried, f.Refused)
		if f.How == "" {
			text += "none better than the usual code"
		} else {
			text += fmt.Sprintf("%.1f %% of the usual code's %s time with %s", 100*f.Best/f.Usual, by, f.How)
		}
		sink.Say(diag.Info, text)
	}
}

// measure runs the command over a file and returns what it prints: a cost, and
// a mark that must be the same for all candidates.
func (s *search) measure(ctx context.Context, file []byte) (cost float64, mark string, err error) {
	f, err := os.CreateTemp("", "goptxas-search-*.cubin")
	if err != nil {
		return 0, "", err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(file)
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, "", err
	}
	words := append(strings.Fields(s.with), f.Name())
	out, err := exec.CommandContext(ctx, words[0], words[1:]...).Output()
	if err != nil {
		return 0, "", fmt.Errorf("'%s': %w", s.with, err)
	}
	number, mark, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	cost, err = strconv.ParseFloat(number, 64)
	if err != nil || cost <= 0 {
		return 0, "", fmt.Errorf("'%s' printed no cost", s.with)
	}
	return cost, mark, nil
}

// searchWith compiles the job with other settings, has the command judge what comes
// out, and returns the settings that cost the least.
func (j *Job) searchWith(ctx context.Context) (string, error) {
	s := j.search
	cache, version := j.openCache()
	key := s.key(j, version)
	if cache != nil {
		if text, ok := cache.Get(key); ok {
			return string(text), nil
		}
	}
	begun := time.Now()
	type judged struct {
		cost float64
		mark string
		err  error
	}
	codes := map[[sha256.Size]byte]judged{} // many settings change nothing, and a command may take long
	run := func(how string) (float64, string, error) {
		c := &Job{Settings: j.Settings, Files: j.Files, Sink: diag.NewSink(io.Discard, diag.Options{}), Stdout: io.Discard, variation: how}
		res := c.Run(ctx)
		if !res.OK || res.Cubin == nil {
			return 0, "", errors.New("no code was made")
		}
		code := sha256.Sum256(res.Cubin)
		if x, ok := codes[code]; ok {
			return x.cost, x.mark, x.err
		}
		cost, mark, err := s.measure(ctx, res.Cubin)
		codes[code] = judged{cost, mark, err}
		return cost, mark, err
	}
	usual, want, err := run("")
	if err != nil {
		return "", err
	}
	h := pipeline.NewSampler(s.ask.Seed, true)
	h.Start(usual)
	f := pipeline.Found{Usual: usual, Best: usual}
	for s.ask.Candidates == 0 || f.Tried < s.ask.Candidates {
		if s.ask.Limit > 0 && time.Since(begun) > s.ask.Limit || ctx.Err() != nil {
			break
		}
		how := h.Next()
		if how == "" {
			break
		}
		f.Tried++
		cycles, memory, err := run(how)
		if err != nil || memory != want {
			f.Refused++
			cycles = math.Inf(1)
		}
		h.Tell(how, cycles)
		f.How, f.Best = h.Best()
		j.progress.enter(searching(&f))
	}
	s.found = append(s.found, f)
	if cache != nil && ctx.Err() == nil {
		cache.Put(key, []byte(f.How))
	}
	return f.How, ctx.Err()
}

// key names what a search with a command came to: the texts, the words of the
// command line that are no files, and the compiler.
func (s *search) key(j *Job, version string) (k store.Key) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %+v %q\n", "search", version, s.ask, s.with)
	fmt.Fprintf(h, "%q %d %d %q %q\n", j.Settings.Arch, j.Settings.Opt, j.Settings.MaxRegs, j.Settings.Line.List(cli.Knob), j.Settings.Line.List(cli.Phase))
	for _, f := range j.Files {
		if f.File != nil {
			fmt.Fprintf(h, "%d ", len(f.File.Text))
			h.Write(f.File.Text)
		}
	}
	h.Sum(k[:0])
	return k
}

// vary gives the options the settings of a candidate: the one that the job is
// for, or the best that a search with a command finds.
func (j *Job) vary(ctx context.Context, o *pipeline.Options) bool {
	if j.search != nil && j.search.with != "" {
		how, err := j.searchWith(ctx)
		if err != nil {
			j.Sink.Say(diag.Fatal, fmt.Sprintf("Search: %v", err))
			return false
		}
		j.variation = how
	}
	v, err := o.Vary(j.variation)
	if err != nil {
		j.Sink.Say(diag.Fatal, err.Error())
		return false
	}
	*o = *v
	return true
}

// namesOf lists the functions of an output in its order.
func namesOf(m *sema.Module, out *pipeline.Output) (list []string) {
	for _, fn := range out.Funcs {
		list = append(list, m.Funcs[fn].Name)
	}
	return list
}
