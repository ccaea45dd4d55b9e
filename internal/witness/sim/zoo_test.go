package sim

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// runZoo runs every launch of a kernel file and compares the buffers with
// what the H200 left there.
func runZoo(t *testing.T, k *zoo.Kernel, cubin []byte) (ok bool, threads uint64) {
	t.Helper()
	m, err := Load(cubin)
	if err != nil {
		t.Errorf("%s: %v", k.File, err)
		return false, 0
	}
	ok = true
	for n := range k.Launches {
		l := &k.Launches[n]
		p, err := m.Kernel(l.Kernel)
		if err != nil {
			t.Errorf("%s: %v", k.File, err)
			return false, threads
		}
		c, err := p.Prepare(l, nil)
		if err != nil {
			t.Errorf("%s: %v", k.File, err)
			return false, threads
		}
		c.Launch.MaxSteps = 2_000_000
		st, err := p.Run(&c.Launch)
		if st != nil {
			_, th := st.Total()
			threads += th
		}
		if err != nil {
			t.Errorf("%s launch %d: %v", k.File, n, err)
			ok = false
			continue
		}
		if k.Want == nil {
			continue
		}
		if d := k.Want[n].Compare(zoo.Result(c.Buffers)); d != "" {
			t.Errorf("%s launch %d: %s", k.File, n, d)
			ok = false
		}
	}
	return ok, threads
}

// TestZooReference runs the reference's code for every kernel of the zoo.
func TestZooReference(t *testing.T) {
	x := oracle.Find(t)
	good, total := 0, 0
	var threads uint64
	list := zoo.List(t)
	for n := range list {
		k := &list[n]
		b, err := x.Cubin(k.Path, "-arch=sm_90a")
		if err != nil {
			t.Errorf("%s: %v", k.File, err)
			continue
		}
		total++
		ok, th := runZoo(t, k, b)
		threads += th
		if ok {
			good++
		}
	}
	t.Logf("%d of %d kernels as on the H200, %d thread instructions", good, total, threads)
}

// TestZooArchs runs the reference's code for the other architectures. What
// an architecture computes does not depend on it, so the same results are
// wanted; kernels for newer ones than the target are left out.
func TestZooArchs(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the zoo six times")
	}
	x := oracle.Find(t)
	for _, arch := range []string{"sm_75", "sm_80", "sm_89", "sm_100", "sm_120"} {
		good, total, unknown := 0, 0, 0
		list := zoo.List(t)
		for n := range list {
			k := &list[n]
			text := k.Text
			if len(arch) == len("sm_75") {
				text = oldTarget(text, arch)
			}
			b, err := x.CubinOf([]byte(text), "-arch="+arch)
			if err != nil {
				continue
			}
			if m, err := Load(b); err == nil && unknownWords(m) {
				unknown++
				continue
			}
			total++
			if ok, _ := runZoo(t, k, b); ok {
				good++
			}
		}
		t.Logf("%s: %d of %d kernels as on the H200, %d hold words that the disassembler does not know", arch, good, total, unknown)
	}
}

// oldTarget makes a PTX text acceptable for an architecture older than its
// .target line, where the instructions allow.
func oldTarget(text, arch string) string {
	lines := strings.Split(text, "\n")
	for n, l := range lines {
		if strings.HasPrefix(l, ".target ") {
			lines[n] = ".target " + arch
		}
	}
	return strings.Join(lines, "\n")
}

// unknownWords reports whether the code holds words without a form.
func unknownWords(m *Module) bool {
	for _, s := range m.File.Sections {
		if !strings.HasPrefix(s.Name, ".text.") {
			continue
		}
		for code := s.Data(); len(code) >= 16; code = code[16:] {
			w := bits.Word{Lo: binary.LittleEndian.Uint64(code), Hi: binary.LittleEndian.Uint64(code[8:])}
			if in := sass.Decode(m.Arch, w); !in.Known() {
				return true
			}
		}
	}
	return false
}
