package tables

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// functions returns the words of each function of a cubin.
func functions(t testing.TB, file []byte) map[string][]bits.Word {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]bits.Word{}
	for _, s := range f.Sections {
		if !strings.HasPrefix(s.Name, ".text.") {
			continue
		}
		data, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		var words []bits.Word
		for ; len(data) >= 16; data = data[16:] {
			words = append(words, bits.Word{Lo: binary.LittleEndian.Uint64(data), Hi: binary.LittleEndian.Uint64(data[8:])})
		}
		out[s.Name] = words
	}
	return out
}

// compile compiles PTX text with the reference; nil when it refuses.
func compile(t testing.TB, tools *oracle.Tools, text []byte, arch string) map[string][]bits.Word {
	t.Helper()
	b, err := tools.CubinOf(oracle.Retarget(text, arch), "-arch="+arch)
	if err != nil {
		return nil
	}
	return functions(t, b)
}

// TestReference replays code of the reference: every report is a wrong
// table.
func TestReference(t *testing.T) {
	tools := oracle.Find(t)
	files := corpus.Find(t).Every(sampleSize())
	for _, arch := range []string{"sm_90a", "sm_80", "sm_89", "sm_75", "sm_100a", "sm_120a"} {
		t.Run(arch, func(t *testing.T) {
			a := target.Find(arch)
			insts, unknown, compiled := 0, 0, 0
			kinds := map[string]int{}
			sample := map[string]string{}
			for n := range files {
				text, err := files[n].Read()
				if err != nil {
					t.Fatal(err)
				}
				fns := compile(t, tools, text, arch)
				if fns != nil {
					compiled++
				}
				for _, words := range fns {
					c, err := Decode(a, words)
					if err != nil {
						unknown++
						continue
					}
					insts += len(words)
					for _, f := range c.Replay(100) {
						key := f.Rule.String() + " " + f.From.String() + " > " + base(&c.Insts[f.Index])
						kinds[key]++
						if sample[key] == "" {
							sample[key] = files[n].Path + ": " + f.Report.String() + ": " + f.Text
						}
					}
				}
			}
			list := make([]string, 0, len(kinds))
			for k := range kinds {
				list = append(list, k)
			}
			sort.Slice(list, func(i, j int) bool {
				return kinds[list[i]] > kinds[list[j]] || kinds[list[i]] == kinds[list[j]] && list[i] < list[j]
			})
			for _, k := range list {
				t.Errorf("%d x %s\n\t%s", kinds[k], k, sample[k])
			}
			t.Logf("%s: %d files, %d instructions replayed, %d kinds of reports, %d functions with unknown words", arch, compiled, insts, len(kinds), unknown)
		})
	}
}

// sampleSize returns how many files of the corpus are replayed:
// GOPTXAS_HAZARD_FILES, or a few.
func sampleSize() int {
	if n, err := strconv.Atoi(os.Getenv("GOPTXAS_HAZARD_FILES")); err == nil {
		return n
	}
	return 12
}
