package sass

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// cubinWords returns the instruction words of a cubin.
func cubinWords(t testing.TB, file []byte) []bits.Word {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var out []bits.Word
	for _, s := range f.Sections {
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_EXECINSTR == 0 {
			continue
		}
		data, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		for ; len(data) >= 16; data = data[16:] {
			out = append(out, bits.Word{Lo: binary.LittleEndian.Uint64(data), Hi: binary.LittleEndian.Uint64(data[8:])})
		}
	}
	return out
}

// compileFor compiles a corpus file with the reference for architecture
// arch and returns its words, or nil when the reference refuses it.
func compileFor(t testing.TB, tools *oracle.Tools, f *corpus.File, arch string) []bits.Word {
	t.Helper()
	text, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	b, err := tools.CubinOf(oracle.Retarget(text, arch), "-arch="+arch)
	if err != nil {
		return nil
	}
	return cubinWords(t, b)
}

// TestCorpus compiles real kernels with the reference and checks that their
// instructions decode, print as the reference disassembler prints them and
// encode to the same words. A sample by default; GOPTXAS_FULL=1 takes 1200
// files, SASS_FILES another number, and SASS_ARCHS other architectures.
func TestCorpus(t *testing.T) {
	tools := oracle.Find(t)
	c := corpus.Find(t)
	files, archs := every(c.Smoke(), 12), []string{"sm_90a"}
	if os.Getenv("GOPTXAS_FULL") != "" {
		files = c.Every(1200)
	}
	if n, err := strconv.Atoi(os.Getenv("SASS_FILES")); err == nil {
		files = c.Every(n)
	}
	if s := os.Getenv("SASS_ARCHS"); s != "" {
		archs = strings.Split(s, ",")
	}
	for _, name := range archs {
		a := target.Find(name)
		seen := map[bits.Word]bool{}
		var words []bits.Word
		total, compiled := 0, 0
		for n := range files {
			ws := compileFor(t, tools, &files[n], name)
			if ws != nil {
				compiled++
			}
			total += len(ws)
			for _, w := range ws {
				if !seen[w] {
					seen[w] = true
					words = append(words, w)
				}
			}
		}
		checkWords(t, tools, a, words, fmt.Sprintf("%d files, %d instructions", compiled, total))
	}
}

func every[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	out := make([]T, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}

func checkWords(t *testing.T, tools *oracle.Tools, a *target.Arch, words []bits.Word, what string) {
	t.Helper()
	var bad misses
	unknown, ok := 0, 0
	for n, want := range disasm(t, tools, a.Name, words) {
		i := Decode(a, words[n])
		got := i.Text(a, 0)
		w, err := i.Encode(a)
		if err != nil || w != words[n] {
			t.Errorf("%s: %s encodes to %x, %v", a.Name, got, w, err)
		}
		if !i.Known() {
			unknown++
		}
		if got == want {
			ok++
			continue
		}
		key := fmt.Sprintf("%03x", words[n].Lo&0xfff)
		if want != "" {
			key += " " + mnemonic(want)
		}
		bad.add(key, fmt.Sprintf("%s  got  %s  %016x %016x", want, got, words[n].Hi, words[n].Lo))
	}
	t.Logf("%s: %s, %d different: %.3f %% print alike, %d unknown", a.Name, what, len(words), percent(ok, len(words)), unknown)
	bad.log(t, a.Name, missLimit())
	if percent(ok, len(words)) < 99.9 {
		t.Errorf("%s: below the bar", a.Name)
	}
}
