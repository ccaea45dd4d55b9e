package driver

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// TestMixedGroups: a kernel that uses tensor memory for one block and for a
// pair is refused with what it calls, in an object only where one function
// does both, in the words and the order of the reference.
func TestMixedGroups(t *testing.T) {
	tools := oracle.Find(t)
	const one, two = "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; ", "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned; "
	function := func(name, body string) string { return ".visible .func " + name + "() { " + body + "ret; }\n" }
	kernel := func(name, body string) string {
		return ".visible .entry " + name + "() { .reg .b64 %d<2>; .reg .b32 %r<5>; " + body + "ret; }\n"
	}
	refused := 0
	for _, text := range []string{
		kernel("k", one+two),
		kernel("k", one),
		kernel("k", "ret; "+one+two),
		function("f", one) + kernel("k", "call f; "+two),
		function("f", one+two) + kernel("k", "call f; "),
		function("f", one+two) + kernel("k", ""),
		kernel("k", one+two) + kernel("k2", two+one),
		function("f", one) + function("g", two+"call f; ") + kernel("k", "call g; ") + kernel("k2", "call f; "),
		function("f", one) + kernel("k", "mov.u64 %d1, f; P: .callprototype ()_(); call %d1, (), P; "+two),
		kernel("k", one+"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%r1], [%d1, {%r2, %r3}], [%r4]; "),
	} {
		for _, options := range [][]string{{"-arch=sm_100a"}, {"-arch=sm_100a", "-c"}, {"-arch=sm_100a", "-e", "k"}} {
			file := filepath.Join(t.TempDir(), "k.ptx")
			whole := ".version 8.8\n.target sm_100a\n.address_size 64\n" + text
			if err := os.WriteFile(file, []byte(whole), 0o644); err != nil {
				t.Fatal(err)
			}
			r := tools.Ptxas(append(options, file, "-o", file+".o")...)
			var log bytes.Buffer
			_, ok := CompileTexts(context.Background(), options, []Text{{Name: file, Text: []byte(whole)}}, &log)
			if got, want := fmt.Sprint(ok, "\n", log.String()), fmt.Sprint(r.Exit == 0, "\n", r.Stderr); got != want {
				t.Errorf("%q\n%s: %s, the reference %s", options, text, got, want)
			}
			refused += strings.Count(r.Stderr, "that is not allowed")
		}
	}
	if refused < 15 {
		t.Errorf("%d messages", refused)
	}
}
