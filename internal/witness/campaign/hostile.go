package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/witness/corpus"
)

// Limits of one compilation.
const (
	mostTime   = 10 * time.Second
	mostMemory = 2 << 30
	mostText   = 60_000 // larger texts are left to other tests
)

// hostile compiles damaged texts.
type hostile struct {
	texts []hostileText
	words [][]byte // of all texts, to put in wrong places
}

// hostileText is a text to damage.
type hostileText struct {
	text   []byte
	tokens [][]byte
	archs  []string // that it may be for
}

var archs = [...]string{"sm_75", "sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120a"}

// newHostile reads the texts: of the given folder and the folders in it, or
// the zoo, and the corpus where it is installed.
func newHostile(dir string) (*hostile, error) {
	debug.SetMemoryLimit(mostMemory)
	patterns := []string{filepath.Join(dir, "*.ptx"), filepath.Join(dir, "*", "*.ptx")}
	if dir == "" {
		patterns = []string{filepath.Join(corpus.Root(), "testdata", "zoo", "*.ptx")}
		if dir := os.Getenv("GOPTXAS_CORPUS_FILES"); dir != "" {
			patterns = append(patterns, filepath.Join(dir, "*", "*.ptx"))
		}
	}
	h := &hostile{}
	for _, p := range patterns {
		names, err := filepath.Glob(p)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			if len(text) > 0 && len(text) <= mostText {
				h.add(text)
			}
		}
	}
	if len(h.texts) == 0 {
		return nil, errors.New("no texts to damage")
	}
	return h, nil
}

// add adds a text.
func (h *hostile) add(text []byte) {
	t := hostileText{text: text, tokens: tokens(text)}
	_, after, _ := bytes.Cut(text, []byte("\n.target sm_"))
	sm, suffix := 0, ""
	fmt.Sscanf(string(after[:min(len(after), 10)]), "%d%1s", &sm, &suffix) //nolint:errcheck // what is not there stays zero
	for _, a := range archs {
		n := 0
		fmt.Sscanf(a, "sm_%d", &n) //nolint:errcheck // a number
		if n == sm || n > sm && suffix != "a" {
			t.archs = append(t.archs, a)
		}
	}
	if len(t.archs) == 0 {
		t.archs = archs[:]
	}
	h.texts = append(h.texts, t)
	if len(h.words) < 200_000 {
		h.words = append(h.words, t.tokens[:min(len(t.tokens), 300)]...)
	}
}

// pick picks a text, of two the shorter one: short ones are quick.
func (h *hostile) pick(r *rand.Rand) *hostileText {
	a, b := &h.texts[r.IntN(len(h.texts))], &h.texts[r.IntN(len(h.texts))]
	if len(b.text) < len(a.text) {
		return b
	}
	return a
}

// tokens cuts a text where its kind of character changes.
func tokens(text []byte) [][]byte {
	kind := func(c byte) int {
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			return 0
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c == '%':
			return 1
		}
		return 2
	}
	var out [][]byte
	for i := 0; i < len(text); {
		j := i + 1
		for j < len(text) && kind(text[j]) == kind(text[i]) && kind(text[i]) != 2 {
			j++
		}
		out = append(out, text[i:j])
		i = j
	}
	return out
}

// options are the ways in which damaged texts are compiled.
var options = [...][]string{nil, nil, {"-O0"}, {"-O1"}, {"-c"}, {"--maxrregcount=24"}, {"-g"}, {"-lineinfo"}}

func (h *hostile) do(seed uint64) (result, fault, text string) {
	r := rand.New(rand.NewPCG(seed, 77))
	t := h.pick(r)
	damaged := h.damage(r, t)
	o := goptxas.Options{Arch: t.archs[r.IntN(len(t.archs))], Args: options[r.IntN(len(options))]}
	start := time.Now()
	err := compile(damaged, o)
	took := time.Since(start)
	var e *goptxas.Error
	why := ""
	switch {
	case took > mostTime:
		why = fmt.Sprint("took ", took)
	case took > mostMemory/allocates && memory() > mostMemory:
		why = fmt.Sprint("memory ", memory())
	case err == nil:
		return "compiled", "", ""
	case !errors.As(err, &e) || strings.Contains(e.Log, "internal compiler error"):
		why = err.Error()
	default:
		return "refused", "", ""
	}
	return "fault", fmt.Sprintf("// seed %d, %s %v: %s", seed, o.Arch, o.Args, why), string(damaged)
}

// allocates is how many bytes a compilation may take up in a nanosecond, at
// most: what was quicker is not asked for its memory.
const allocates = 64

// memory is what the process has of the system.
func memory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys - m.HeapReleased
}

// compile compiles; a panic that nobody caught is an error too.
func compile(text []byte, o goptxas.Options) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	stuck := time.AfterFunc(6*mostTime, func() { // deaf to its context
		fmt.Fprintf(os.Stderr, "campaign: %s %v does not end\n%s\n", o.Arch, o.Args, text)
		os.Exit(3)
	})
	defer stuck.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), 3*mostTime)
	defer cancel()
	_, err = goptxas.Compile(ctx, []goptxas.Input{{Name: "hostile.ptx", Text: text}}, o)
	return err
}

// damage changes a few bytes or tokens of a text.
func (h *hostile) damage(r *rand.Rand, t *hostileText) []byte {
	if r.IntN(3) == 0 {
		out := append([]byte{}, t.text...)
		for range 1 + r.IntN(4) {
			at := r.IntN(len(out))
			switch r.IntN(4) {
			case 0:
				out[at] = byte(r.IntN(256))
			case 1:
				out[at] ^= 1 << r.IntN(8)
			case 2:
				out = append(out[:at], out[min(at+1+r.IntN(40), len(out)):]...)
			default:
				end := min(at+1+r.IntN(200), len(out))
				out = append(out[:at:at], append(append([]byte{}, out[at:end]...), out[at:]...)...)
			}
			if len(out) == 0 {
				return []byte(" ")
			}
		}
		return out
	}
	list := append([][]byte{}, t.tokens...)
	if r.IntN(32) == 0 {
		return join(alike(r, list))
	}
	for range 1 + r.IntN(5) {
		at := r.IntN(len(list))
		switch r.IntN(5) {
		case 0:
			list[at] = h.words[r.IntN(len(h.words))]
		case 1:
			list[at] = list[r.IntN(len(list))]
		case 2:
			k := r.IntN(len(list))
			list[at], list[k] = list[k], list[at]
		case 3:
			list[at] = nil
		default:
			list[at] = []byte([]string{"0", "-1", "4294967296", "0xffffffffffffffff", "18446744073709551616", "0f7fc00000", "1e400", ";", "{", "}", "[", "_"}[r.IntN(12)])
		}
	}
	return join(list)
}

// alike puts a token in the place of another of its kind, register for
// register, number for number, word for word: such texts often compile.
func alike(r *rand.Rand, list [][]byte) [][]byte {
	kind := func(w []byte) int {
		switch {
		case len(w) == 0 || w[0] <= ' ':
			return 0
		case w[0] == '%':
			return 1
		case w[0] >= '0' && w[0] <= '9':
			return 2
		case w[0] >= 'a' && w[0] <= 'z':
			return 3
		}
		return 0
	}
	for n := 1 + r.IntN(3); n > 0; n-- {
		at := r.IntN(len(list))
		for range 200 {
			if k := r.IntN(len(list)); kind(list[at]) == kind(list[k]) && !bytes.Equal(list[at], list[k]) {
				list[at] = list[k]
				break
			}
		}
	}
	return list
}

func join(list [][]byte) []byte { return bytes.Join(list, nil) }
