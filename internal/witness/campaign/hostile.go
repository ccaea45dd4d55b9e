package main

import (
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
	texts [][]byte
	words [][]byte // of all texts, to put in wrong places
}

var archs = [...]string{"sm_75", "sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120"}

// newHostile reads the texts: the zoo, and the corpus where it is installed.
func newHostile() (*hostile, error) {
	debug.SetMemoryLimit(mostMemory)
	h := &hostile{}
	names, err := filepath.Glob(filepath.Join(corpus.Root(), "testdata", "zoo", "*.ptx"))
	if err != nil {
		return nil, err
	}
	if dir := os.Getenv("GOPTXAS_CORPUS_FILES"); dir != "" {
		more, err := filepath.Glob(filepath.Join(dir, "*", "*.ptx"))
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if len(text) > mostText {
			continue
		}
		h.texts = append(h.texts, text)
		if w := tokens(text); len(w) > 0 && len(h.words) < 200_000 {
			h.words = append(h.words, w[:min(len(w), 300)]...)
		}
	}
	if len(h.texts) == 0 {
		return nil, errors.New("no texts to damage")
	}
	return h, nil
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

func (h *hostile) do(seed uint64) (result, fault, text string) {
	r := rand.New(rand.NewPCG(seed, 77))
	damaged := h.damage(r, h.texts[r.IntN(len(h.texts))])
	o := goptxas.Options{Arch: archs[r.IntN(len(archs))], Args: [][]string{nil, nil, {"-O0"}, {"-O1"}, {"-c"}, {"--maxrregcount=24"}, {"-g"}, {"-lineinfo"}}[r.IntN(8)]}
	start := time.Now()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := compile(damaged, o)
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	var e *goptxas.Error
	why := ""
	switch {
	case took > mostTime:
		why = fmt.Sprint("took ", took)
	case after.Sys > mostMemory && after.Sys > before.Sys:
		why = fmt.Sprint("memory ", after.Sys)
	case err == nil:
		return "compiled", "", ""
	case !errors.As(err, &e) || strings.Contains(e.Log, "internal compiler error"):
		why = err.Error()
	default:
		return "refused", "", ""
	}
	return "fault", fmt.Sprintf("// seed %d, %s %v: %s", seed, o.Arch, o.Args, why), string(damaged)
}

// compile compiles; a panic that nobody caught is an error too.
func compile(text []byte, o goptxas.Options) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), 3*mostTime)
	defer cancel()
	_, err = goptxas.Compile(ctx, []goptxas.Input{{Name: "hostile.ptx", Text: text}}, o)
	return err
}

// damage changes a few bytes or tokens of a text.
func (h *hostile) damage(r *rand.Rand, text []byte) []byte {
	if r.IntN(3) == 0 {
		out := append([]byte{}, text...)
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
	list := append([][]byte{}, tokens(text)...)
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
	var out []byte
	for _, w := range list {
		out = append(out, w...)
	}
	return out
}
