// Command campaign runs random programs and damaged inputs through the
// compiler for as long as it is let, and keeps a ledger of what was done, so
// that it can be stopped at any time and goes on where it was.
//
//	go run ./internal/witness/campaign -dir DIR -what programs -n 100000
//	go run ./internal/witness/campaign -dir DIR -what hostile -n 1000000
//
// Programs: the interpreter's results against those of our code in the
// simulator, in turn at several levels, with few registers, serial, and for
// other GPUs; every cubin is also judged by the checker of waits. Hostile:
// texts of the corpus and the zoo with bytes and tokens changed; the
// compiler must give a cubin or a message, in time and in bounds.
//
// Work is cut into chunks of seeds; -shard I/N takes every N-th. What fails
// is shrunk and written to DIR beside the ledger.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"time"
)

// outcome counts what came of some seeds.
type outcome map[string]int

// job does one seed and says what came of it; a fault also has a text to
// keep.
type job interface {
	do(seed uint64) (result, fault, text string)
}

// collect is the garbage collector's percentage: little lives in a campaign
// but the texts to damage.
var collect = map[string]int{"programs": 1000, "hostile": 300}

// chunk is how many seeds one line of the ledger stands for.
const chunk = 100

func main() {
	dir := flag.String("dir", "campaign", "folder of the ledger")
	what := flag.String("what", "programs", "programs or hostile")
	n := flag.Int("n", 1000, "seeds")
	first := flag.Uint64("first", 0, "first seed, a multiple of 100")
	shard := flag.String("shard", "0/1", "this part of how many")
	texts := flag.String("texts", "", "folder of the texts to damage (the zoo)")
	args := flag.String("args", "", "compile programs with these options for sm_90a, not at several levels in turn")
	with := flag.String("with", "", "add these options to those of each program, such as a knob that is looked at")
	only := flag.String("kind", "", "programs of one kind only (large, wide, pipe, reads, turns, tensor, crowd, pairs, weave, small), not of all in turn")
	turned := flag.Bool("knobs", false, "turn some of the compiler's knobs of each program to values that nobody would choose")
	most := flag.Duration("time", 0, "stop after this time (0: when all is done)")
	flag.Parse()
	debug.SetGCPercent(collect[*what])
	var i, parts int
	if _, err := fmt.Sscanf(*shard, "%d/%d", &i, &parts); err != nil || parts < 1 || i < 0 || i >= parts {
		fail(fmt.Errorf("-shard %s", *shard))
	}
	var j job
	switch *what {
	case "programs":
		if *only != "" && !slices.ContainsFunc(kinds[:], func(k kind) bool { return k.name == *only }) {
			fail(fmt.Errorf("-kind %s", *only))
		}
		j = programs{strings.Fields(*args), *only, *turned, strings.Fields(*with)}
	case "hostile":
		h, err := newHostile(*texts)
		if err != nil {
			fail(err)
		}
		j = h
	default:
		fail(fmt.Errorf("-what %s", *what))
	}
	l, err := open(*dir, fmt.Sprintf("%s-%d-of-%d", *what, i, parts))
	if err != nil {
		fail(err)
	}
	end := time.Time{}
	if *most > 0 {
		end = time.Now().Add(*most)
	}
	for c := *first; c < *first+uint64(*n); c += chunk {
		if c/chunk%uint64(parts) != uint64(i) || l.done[c] {
			continue
		}
		if !end.IsZero() && time.Now().After(end) {
			break
		}
		if err := l.run(j, c); err != nil {
			fail(err)
		}
	}
	l.progress()
	fmt.Println()
	if l.total["fault"] > 0 {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "campaign:", err)
	os.Exit(2)
}

// ledger is the list of chunks that are done.
type ledger struct {
	dir   string
	file  *os.File
	done  map[uint64]bool
	total outcome
	start time.Time
	now   int // seeds of this run
	shown time.Time
}

func open(dir, name string) (*ledger, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, name+".ledger"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	l := &ledger{dir: dir, file: f, done: map[uint64]bool{}, total: outcome{}, start: time.Now()}
	for s := bufio.NewScanner(f); s.Scan(); {
		w := strings.Fields(s.Text())
		var c uint64
		if len(w) == 0 {
			continue
		}
		if _, err := fmt.Sscan(w[0], &c); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		l.done[c] = true
		for _, x := range w[1:] {
			k, v, _ := strings.Cut(x, "=")
			n := 0
			if _, err := fmt.Sscan(v, &n); err != nil {
				return nil, fmt.Errorf("%s: %q: %w", f.Name(), x, err)
			}
			l.total[k] += n
		}
	}
	return l, nil
}

// run does one chunk and notes it.
func (l *ledger) run(j job, first uint64) error {
	o := outcome{}
	for seed := first; seed < first+chunk; seed++ {
		result, fault, text := j.do(seed)
		o[result]++
		if fault != "" {
			if err := l.keep(seed, result, fault, text); err != nil {
				return err
			}
		}
		l.total[result]++
		l.now++
		if time.Since(l.shown) > time.Second {
			l.progress()
		}
	}
	l.done[first] = true
	_, err := fmt.Fprintf(l.file, "%d%s\n", first, o)
	return err
}

// keep writes down a fault in a file of its own, and why a program was
// refused in one file for all.
func (l *ledger) keep(seed uint64, result, fault, text string) error {
	if text != "" {
		return os.WriteFile(filepath.Join(l.dir, fmt.Sprintf("%s-%d.txt", result, seed)), []byte(fault+"\n"+text), 0o644)
	}
	f, err := os.OpenFile(filepath.Join(l.dir, "refused.txt"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	fmt.Fprintf(f, "%d %s: %s\n", seed, result, strings.TrimSpace(fault))
	return f.Close()
}

// String lists what was counted, in order.
func (o outcome) String() string {
	var keys []string
	for k := range o {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&b, " %s=%d", k, o[k])
	}
	return b.String()
}

// progress prints one line over the last.
func (l *ledger) progress() {
	l.shown = time.Now()
	fmt.Printf("\r%d seeds in %s (%.1f/s), in all%s ", l.now, time.Since(l.start).Round(time.Second), float64(l.now)/time.Since(l.start).Seconds(), l.total)
}
