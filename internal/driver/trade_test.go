package driver

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// TestUntraded: a kernel ignores setmaxnreg for the reasons that the reference
// names, in its order, and for none where its registers at launch are known
// whatever routines it calls.
func TestUntraded(t *testing.T) {
	const (
		recursive = ".visible .func (.param .b32 y) f(.param .b32 x)\n{ .reg .b32 %r<4>; .reg .pred %p; ld.param.b32 %r1,[x]; setp.eq.u32 %p,%r1,0; @%p bra X;\n" +
			"add.u32 %r2,%r1,-1; { .param .b32 a; .param .b32 b; st.param.b32 [a],%r2; call.uni (b),f,(a); ld.param.b32 %r3,[b]; } add.u32 %r1,%r1,%r3; X: st.param.b32 [y],%r1; ret; }\n"
		plain  = ".func (.param .b32 y) f(.param .b32 x)\n{ .reg .b32 %r<3>; ld.param.b32 %r1,[x]; add.u32 %r2,%r1,1; st.param.b32 [y],%r2; ret; }\n"
		direct = "{ .param .b32 a; .param .b32 b; st.param.b32 [a],%r1; call.uni (b),f,(a); ld.param.b32 %r1,[b]; }"
		free   = ".extern .func free(.param .b64 a);\n"
		freed  = "{ .param .b64 a; st.param.b64 [a],%d1; call.uni free,(a); }"
		quot   = "div.rn.f64 %f,%f,%f;"
	)
	found := regexp.MustCompile(`\((C75\d\d)\)|(Stack size) for`)
	for _, c := range []struct{ options, bounds, before, body, want string }{
		{"", ".maxnreg 64", "", "", ""},
		{"", ".maxntid 128 .minnctapersm 1", "", "", ""},
		{"", ".maxntid 128", "", "", "C7508"},
		{"-maxrregcount=64", "", "", "", ""},
		{"-maxrregcount=64", ".maxntid 128", "", "", "C7508"},
		{"-maxrregcount=64 -override-directive-values", ".maxntid 128", "", "", ""},
		{"-c", ".maxnreg 64", "", "", "C7504"},
		{"-c -g", ".maxnreg 64", "", "", "C7505"},
		{"-g", "", "", "", "C7505"},
		{"-Ofc=max", ".maxnreg 64", "", "", "C7504"},
		{"-Ofc=min", ".maxnreg 64", "", "", "C7504"},
		{"-ewp", ".maxnreg 64", "", "", ""},
		{"", ".maxnreg 64", plain, direct, ""},
		{"", ".maxnreg 64", "", quot, ""},
		{"", ".maxnreg 64", free, freed, ""},
		{"-ewp", ".maxntid 128 .minnctapersm 1", free, freed, ""},
		{"", ".maxnreg 64", recursive, direct, "C7506"},
		{"-maxrregcount=64", "", recursive, direct, "C7506"},
		{"-ewp", ".maxnreg 64", recursive, direct, "C7506 Stack size"},
		{"-ewp -Ofc=max", ".maxnreg 64", recursive, direct, "C7504"},
		{"-g", ".maxnreg 64", recursive, direct, "C7505 Stack size"},
	} {
		in := filepath.Join(t.TempDir(), "k.ptx")
		text := ".version 8.3\n.target sm_90a\n.address_size 64\n" + c.before + ".entry k(.param .u64 p) " + c.bounds +
			"\n{ .reg .b32 %r<3>; .reg .b64 %d<3>; .reg .f64 %f; ld.param.u64 %d1,[p]; mov.u32 %r1,%tid.x; ld.global.f64 %f,[%d1];\nsetmaxnreg.inc.sync.aligned.u32 240;\n" +
			c.body + "\nst.global.f64 [%d1],%f; st.global.u32 [%d1+8],%r1; ret; }\n"
		if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		args := append(strings.Fields(c.options), "-arch=sm_90a", "-o", in+".cubin", in)
		codes := func(text string) string {
			var list []string
			for _, m := range found.FindAllStringSubmatch(text, -1) {
				list = append(list, m[1]+m[2])
			}
			return strings.Join(list, " ")
		}
		var messages bytes.Buffer
		if code := Main(context.Background(), Env{Args: args, Stdout: &messages, Stderr: &messages}); code != 0 {
			t.Fatal(messages.String())
		}
		if got := codes(messages.String()); got != c.want {
			t.Errorf("%s %s: %q, not %q\n%s", c.options, c.bounds, got, c.want, text)
		}
		if oracle.Available() {
			if r := oracle.Find(t).Ptxas(args...); codes(r.Stderr) != c.want {
				t.Errorf("%s %s: the reference says %q, not %q\n%s", c.options, c.bounds, codes(r.Stderr), c.want, text)
			}
		}
	}
}
