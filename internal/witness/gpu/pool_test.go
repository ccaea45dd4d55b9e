package gpu

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/witness/launch"
)

// TestMain lets the test binary stand in for a worker: kernels named
// "fault", "crash" and "hang" do what they are called.
func TestMain(m *testing.M) {
	if os.Getenv("GPU_TEST_WORKER") == "" {
		os.Exit(m.Run())
	}
	if os.Getenv("GPU_TEST_WORKER") == "none" {
		fmt.Fprint(os.Stderr, "no GPU")
		os.Exit(1)
	}
	fmt.Printf("{\"stage\":%q}\n", stageReady)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var q Request
		if json.Unmarshal(lines.Bytes(), &q) != nil {
			os.Exit(3)
		}
		r := Result{Stage: "done", Hash: []uint64{uint64(len(q.Cubin))}}
		switch q.Launch.Kernel {
		case "good":
			fmt.Print("a kernel prints a line\nand {\"a\": half}")
		case "fault":
			r = Result{Stage: "run", Err: "fault"}
		case "crash":
			os.Exit(2)
		case "hang":
			time.Sleep(time.Hour)
		}
		b, _ := json.Marshal(r)
		fmt.Println(string(b))
		if r.Err != "" {
			os.Exit(0)
		}
	}
	os.Exit(0)
}

// TestCareful: behind a kernel that hangs nothing runs, and where no worker
// starts no kernel is to blame.
func TestCareful(t *testing.T) {
	for _, x := range []struct{ worker, first, stage, err string }{{"1", "hang", "run", "hang"}, {"none", "good", "start", "worker did not start: no GPU"}} {
		t.Setenv("GPU_TEST_WORKER", x.worker)
		var got []*Result
		p := &Pool{Command: []string{os.Args[0]}, Workers: 1, Limit: 300 * time.Millisecond, Careful: true}
		p.Run(3, func(k int) Job {
			name := "good"
			if k == 0 {
				name = x.first
			}
			return Job{
				Next: func(so []*Result) *Request {
					if len(so) == 1 {
						return nil
					}
					return &Request{Launch: launch.Launch{Kernel: name}}
				},
				Done: func(all []*Result) { got = append(got, all...) },
			}
		})
		if len(got) != 3 || got[0].Stage != x.stage || got[0].Err != x.err || got[1].Stage != "start" || got[2].Stage != "start" {
			t.Errorf("%s: %+v %+v %+v", x.first, got[0], got[1], got[2])
		}
	}
}

// TestPool runs good kernels among faulting, crashing and hanging ones: only
// the bad rows fail.
func TestPool(t *testing.T) {
	t.Setenv("GPU_TEST_WORKER", "1")
	kinds := []string{"good", "fault", "good", "crash", "hang", "good"}
	var mu sync.Mutex
	got := map[string]int{}
	const n = 24
	p := &Pool{Command: []string{os.Args[0]}, Workers: 3, Limit: 300 * time.Millisecond}
	p.Run(n, func(k int) Job {
		return Job{
			Next: func(so []*Result) *Request {
				if len(so) == 1 {
					return nil
				}
				return &Request{Cubin: "abc", Launch: launch.Launch{Kernel: kinds[k%len(kinds)]}}
			},
			Done: func(all []*Result) {
				mu.Lock()
				defer mu.Unlock()
				r := all[0]
				state := r.Err
				if r.OK() {
					state = "good"
				}
				if state != kinds[k%len(kinds)] {
					t.Errorf("row %d (%s): %+v", k, kinds[k%len(kinds)], r)
				}
				got[state]++
			},
		}
	})
	t.Logf("%v", got)
	if got["good"] != n/2 {
		t.Errorf("%d good rows, want %d", got["good"], n/2)
	}
}

// TestSession: one worker serves job after job, and another one begins behind a fault.
func TestSession(t *testing.T) {
	t.Setenv("GPU_TEST_WORKER", "1")
	s := (&Pool{Command: []string{os.Args[0]}, Workers: 1, Limit: 10 * time.Second}).Session()
	defer s.Close()
	var last *process
	for k, name := range []string{"good", "good", "fault", "good"} {
		var r *Result
		s.Run(Job{
			Next: func(so []*Result) *Request {
				if len(so) == 1 {
					return nil
				}
				return &Request{Launch: launch.Launch{Kernel: name}}
			},
			Done: func(all []*Result) { r = all[0] },
		})
		if r.OK() != (name == "good") {
			t.Errorf("job %d (%s): %+v", k, name, r)
		}
		if same := s.w == last; k > 0 && same != (k == 1) {
			t.Errorf("job %d: same worker %v", k, same)
		}
		last = s.w
	}
}

func TestOpenWithoutDriver(t *testing.T) {
	if _, err := Open(); err == nil {
		t.Skip("this machine has a GPU")
	}
}
