package goptxas

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// limit is how long a text of the zoo may take, in whatever way it is broken.
const limit = 30 * time.Second

// FuzzCompile changes the kernels of the zoo, so that most texts still pass
// the checker, and compiles them: there is a cubin or a message, never a
// fault of the compiler itself, and what a checker of the compiler finds is
// such a fault.
func FuzzCompile(f *testing.F) {
	files, err := filepath.Glob("testdata/zoo/*.ptx")
	if err != nil || len(files) == 0 {
		f.Fatal("no kernels", err)
	}
	texts := make([][]byte, len(files))
	for i, name := range files {
		if texts[i], err = os.ReadFile(name); err != nil {
			f.Fatal(err)
		}
		f.Add(uint64(i), uint8(3))
	}
	compiled, refused := 0, 0
	f.Cleanup(func() { f.Logf("%d texts compiled, %d refused", compiled, refused) })
	f.Fuzz(func(t *testing.T, seed uint64, changes uint8) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := int(seed % uint64(len(texts)))
		arch := archs[r.IntN(len(archs))]
		text := mutate(r, target.ReplaceAll(texts[n], []byte(".target "+arch)), int(changes%16))
		o := Options{Arch: arch, Args: [][]string{nil, {"-O0"}, {"-O1"}, {"-c"}, {"--maxrregcount=24"}, {"-g"}}[r.IntN(6)]}
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		_, err := Compile(ctx, []Input{{files[n], text}}, o)
		var e *Error
		switch {
		case err == nil:
			compiled++
		case !errors.As(err, &e):
			t.Fatalf("%s %v: %v\n%s", o.Arch, o.Args, err, text)
		case strings.Contains(e.Log, "nternal"):
			t.Fatalf("%s %v: %s\n%s", o.Arch, o.Args, e.Log, text)
		default:
			refused++
		}
	})
}

var archs = [...]string{"sm_75", "sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120"}

var (
	target    = regexp.MustCompile(`\.target\s+[\w]+`)
	statement = regexp.MustCompile(`(?m)^\s*(@!?%\w+\s+)?[a-z][\w.:]*\s[^;{}]*;`)
	register  = regexp.MustCompile(`%[a-z]+\d+`)
	number    = regexp.MustCompile(`\b\d+\b`)
	typ       = regexp.MustCompile(`\.(?:[bsuf](?:8|16|32|64)|pred|f16x2|bf16|rn|rz|lt|gt|eq|ne|sat|ftz|global|shared|local)\b`)
)

// mutate changes statements of a kernel: takes them out, repeats them
// elsewhere, and puts other registers, numbers and modifiers into them.
func mutate(r *rand.Rand, text []byte, n int) []byte {
	text = bytes.Clone(text)
	for range n {
		at := statement.FindAllIndex(text, -1)
		if len(at) == 0 {
			break
		}
		a, b := at[r.IntN(len(at))], at[r.IntN(len(at))]
		line := bytes.Clone(text[a[0]:a[1]])
		var by []byte
		switch r.IntN(6) {
		case 0: // gone
		case 1: // twice
			by = append(append(line, '\n'), text[b[0]:b[1]]...)
			a = b
		case 2:
			by = bytes.Clone(text[b[0]:b[1]])
		case 3:
			by = swap(r, register, line, register.FindAll(text, -1))
		case 4:
			by = swap(r, number, line, [][]byte{[]byte("0"), []byte("1"), []byte("31"), []byte("32"), []byte("4294967295"), []byte("65536")})
		case 5:
			by = swap(r, typ, line, typ.FindAll(text, -1))
		}
		text = append(text[:a[0]:a[0]], append(by, text[a[1]:]...)...)
	}
	return text
}

// swap puts one of the words in place of a match.
func swap(r *rand.Rand, what *regexp.Regexp, line []byte, words [][]byte) []byte {
	at := what.FindAllIndex(line, -1)
	if len(at) == 0 || len(words) == 0 {
		return line
	}
	m := at[r.IntN(len(at))]
	return append(line[:m[0]:m[0]], append(bytes.Clone(words[r.IntN(len(words))]), line[m[1]:]...)...)
}
