package par

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/diag"
)

// scratch is a toy worker context that notices being shared.
type scratch struct {
	busy  atomic.Bool
	tasks int
	freed bool
}

func (s *scratch) enter(t testing.TB) func() {
	if s.busy.Swap(true) {
		t.Error("two tasks use one worker context")
	}
	s.tasks++
	return func() { s.busy.Store(false) }
}

func TestOrder(t *testing.T) {
	w := New(Options[int]{N: 1})
	gate := make(chan struct{})
	w.Submit(Task[int]{Priority: 100, Run: func(context.Context, int) error { <-gate; return nil }})
	var got []string
	for i, pri := range []int64{1, 5, 1, 9, 5, 1} {
		w.Submit(Task[int]{Priority: pri, Run: func(context.Context, int) error {
			got = append(got, fmt.Sprintf("%d.%d", pri, i))
			return nil
		}})
	}
	close(gate)
	w.Stop()
	if want := []string{"9.3", "5.1", "5.4", "1.0", "1.2", "1.5"}; !slices.Equal(got, want) {
		t.Errorf("ran %v, want %v", got, want)
	}
}

// each runs one task for every item and returns the results and errors in the
// order of the items.
func each(w *Workers[int], items []int, run func(i int) (string, error)) ([]string, []error) {
	results, errs := make([]string, len(items)), make([]error, len(items))
	jobs := make([]*Job, len(items))
	for i, item := range items {
		jobs[i] = w.Submit(Task[int]{Name: fmt.Sprint("k", item), Priority: int64(item * 7 % 100), Run: func(context.Context, int) (err error) {
			results[i], err = run(item)
			return err
		}})
	}
	for i, j := range jobs {
		errs[i] = j.Wait()
	}
	return results, errs
}

func TestResults(t *testing.T) {
	for _, n := range []int{1, 2, 8} {
		w := New(Options[int]{N: n})
		items := make([]int, 500)
		for i := range items {
			items[i] = i
		}
		results, errs := each(w, items, func(i int) (string, error) {
			switch i % 50 {
			case 3:
				return "", fmt.Errorf("k%d is refused", i)
			case 7:
				panic(fmt.Sprintf("k%d is broken", i))
			case 9:
				runtime.Goexit()
			}
			return fmt.Sprint("r", i), nil
		})
		for i := range items {
			var want string
			switch i % 50 {
			case 3:
				want = fmt.Sprintf("k%d is refused", i)
			case 7:
				want = fmt.Sprintf("internal compiler error of function k%d: k%d is broken", i, i)
			case 9:
				want = fmt.Sprintf("internal compiler error of function k%d: the task ended its goroutine", i)
			default:
				if errs[i] != nil || results[i] != fmt.Sprint("r", i) {
					t.Fatalf("item %d: %q, %v", i, results[i], errs[i])
				}
				continue
			}
			if errs[i] == nil || errs[i].Error() != want {
				t.Fatalf("item %d: %v, want %s", i, errs[i], want)
			}
			if _, ok := errors.AsType[*diag.Bug](errs[i]); ok != (i%50 != 3) {
				t.Fatalf("item %d: a Bug or not: %v", i, errs[i])
			}
		}
		w.Stop()
		if err := w.Submit(Task[int]{}).Wait(); !errors.Is(err, ErrStopped) {
			t.Errorf("submit after Stop: %v", err)
		}
	}
}

func TestStop(t *testing.T) {
	w := New(Options[int]{N: 2})
	var ran atomic.Int32
	for range 100 {
		w.Submit(Task[int]{Run: func(context.Context, int) error { ran.Add(1); return nil }})
	}
	w.Stop()
	if ran.Load() != 100 {
		t.Errorf("graceful stop ran %d of 100", ran.Load())
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	w = New(Options[int]{N: 2, Context: ctx})
	gone := errors.New("gone")
	started := make(chan struct{}, 2)
	var jobs []*Job
	for range 50 {
		jobs = append(jobs, w.Submit(Task[int]{Run: func(ctx context.Context, _ int) error {
			started <- struct{}{}
			<-ctx.Done()
			return context.Cause(ctx)
		}}))
	}
	<-started
	<-started
	cancel(gone)
	w.Stop()
	for i, j := range jobs {
		if err := j.Wait(); !errors.Is(err, gone) {
			t.Errorf("job %d: %v", i, err)
		}
	}
}

func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	w := New(Options[int]{N: 2, Context: ctx})
	gone := errors.New("gone")
	cancel(gone)
	if err := w.Submit(Task[int]{Run: func(context.Context, int) error { return nil }}).Wait(); !errors.Is(err, gone) {
		t.Errorf("task after the context ended: %v", err)
	}
	w.Stop()
}

// meter is a Limiter that counts.
type meter struct {
	slots chan struct{}
	held  atomic.Int32
	most  atomic.Int32
}

func (m *meter) Acquire(ctx context.Context) error {
	select {
	case m.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	n := m.held.Add(1)
	for old := m.most.Load(); n > old && !m.most.CompareAndSwap(old, n); old = m.most.Load() {
	}
	return nil
}

func (m *meter) Release() { m.held.Add(-1); <-m.slots }

// TestStress runs 100,000 tasks on eight workers under a limiter of three, with
// failures, panics, nested submits, and contexts that end half-way.
func TestStress(t *testing.T) {
	const total = 100_000
	m := &meter{slots: make(chan struct{}, 3)}
	counts := struct{ ok, failed, bugs, stopped atomic.Int64 }{}
	var made []*scratch
	var mu sync.Mutex
	rounds := 20
	r := rand.New(rand.NewPCG(4, 2))
	for round := range rounds {
		ctx, cancel := context.WithCancel(context.Background())
		w := New(Options[*scratch]{
			N: 8, Limiter: m, Context: ctx,
			Make: func(int) *scratch {
				s := &scratch{}
				mu.Lock()
				made = append(made, s)
				mu.Unlock()
				return s
			},
			Free: func(s *scratch) { s.freed = true },
		})
		jobs := make([]*Job, 0, total/rounds)
		abortAt := -1
		if round%4 == 3 {
			abortAt = total / rounds / 2
		}
		for i := range total / rounds {
			kind := r.IntN(100)
			jobs = append(jobs, w.Submit(Task[*scratch]{Name: fmt.Sprint("t", i), Priority: int64(kind), Run: func(_ context.Context, s *scratch) error {
				defer s.enter(t)()
				switch {
				case kind < 5:
					return errors.New("refused")
				case kind < 8:
					panic("broken")
				case kind == 9:
					w.Submit(Task[*scratch]{Run: func(context.Context, *scratch) error { return nil }})
				}
				return nil
			}}))
			if i == abortAt {
				cancel()
			}
		}
		for _, j := range jobs {
			err := j.Wait()
			_, isBug := errors.AsType[*diag.Bug](err)
			switch {
			case err == nil:
				counts.ok.Add(1)
			case isBug:
				counts.bugs.Add(1)
			case errors.Is(err, context.Canceled):
				counts.stopped.Add(1)
			default:
				counts.failed.Add(1)
			}
		}
		w.Stop()
		cancel()
	}
	sum := counts.ok.Load() + counts.bugs.Load() + counts.stopped.Load() + counts.failed.Load()
	if sum != total {
		t.Errorf("%d results of %d tasks", sum, total)
	}
	if m.most.Load() > 3 || m.held.Load() != 0 {
		t.Errorf("at most %d tasks under a limit of 3, %d held at the end", m.most.Load(), m.held.Load())
	}
	for _, s := range made {
		if !s.freed {
			t.Error("a worker context was not freed")
		}
	}
	t.Logf("%d tasks: %d ok, %d failed, %d bugs, %d stopped; at most %d at once under a limit of 3",
		total, counts.ok.Load(), counts.failed.Load(), counts.bugs.Load(), counts.stopped.Load(), m.most.Load())
}

func BenchmarkSubmit(b *testing.B) {
	w := New(Options[int]{N: 2})
	defer w.Stop()
	b.ReportAllocs()
	for b.Loop() {
		w.Submit(Task[int]{Run: func(context.Context, int) error { return nil }}).Wait()
	}
}
