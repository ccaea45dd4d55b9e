package driver

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// orderText writes a module of functions, "s name callee ..." a function that
// only the module sees, "v" one that others see, "k" a kernel, "r" a function
// that calls itself. Of a callee "&f" the address is called, of "@f" it is
// stored; "*" calls any address.
func orderText(list []string) string {
	count := 0
	call := func(fn string) string {
		if name, ok := strings.CutPrefix(fn, "@"); ok {
			return "mov.u64 %rd2, " + name + "; st.global.u64 [%rd1+8], %rd2;"
		}
		if name, ok := strings.CutPrefix(fn, "&"); ok || fn == "*" {
			from := "mov.u64 %rd2, " + name + ";"
			if !ok {
				from = "ld.global.u64 %rd2, [%rd1];"
			}
			count++
			return fmt.Sprintf("P%d: .callprototype (.param .b32 _) _ (.param .b32 _); %s { .param .b32 q; .param .b32 o; st.param.b32 [q], %%r1; call (o), %%rd2, (q), P%d; ld.param.b32 %%r2, [o]; } add.u32 %%r1, %%r1, %%r2;", count, from, count)
		}
		return fmt.Sprintf("{ .param .b32 q; .param .b32 o; st.param.b32 [q], %%r1; call.uni (o), %s, (q); ld.param.b32 %%r2, [o]; } add.u32 %%r1, %%r1, %%r2;", fn)
	}
	text := ".version 9.0\n.target sm_75\n.address_size 64\n"
	for _, line := range list {
		if w := strings.Fields(line); w[0] != "k" {
			text += linkageOf(w[0]) + ".func (.param .b32 ret0) " + w[1] + "(.param .b32 arg0);\n"
		}
	}
	for _, line := range list {
		w := strings.Fields(line)
		body := ""
		for _, fn := range w[2:] {
			body += call(fn)
		}
		switch w[0] {
		case "k":
			text += ".visible .entry " + w[1] + "(.param .u64 p) { .reg .b32 %r<3>; .reg .b64 %rd<3>; ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; " + body + " st.global.u32 [%rd1], %r1; ret; }\n"
			continue
		case "r":
			body = "setp.eq.u32 %p1, %r1, 0; @%p1 bra L; add.u32 %r1, %r1, -1;" + call(w[1]) + "L: " + body
		}
		text += linkageOf(w[0]) + ".func (.param .b32 ret0) " + w[1] + "(.param .b32 arg0) { .reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .pred %p1; mov.u64 %rd1, 0; ld.param.b32 %r1, [arg0]; " + body + " add.u32 %r1, %r1, 1; st.param.b32 [ret0], %r1; ret; }\n"
	}
	return text
}

func linkageOf(word string) string {
	if word == "v" {
		return ".visible "
	}
	return ""
}

// reportedOrder lists the functions of a report, and the warnings before it.
func reportedOrder(r oracle.Result) string {
	var list []string
	for line := range strings.Lines(r.Stderr) {
		line = strings.TrimSpace(line)
		if _, name, ok := strings.Cut(line, "Function properties for "); ok {
			list = append(list, name)
		}
		if _, rest, ok := strings.Cut(line, "Stack size for entry function "); ok {
			list = append(list, "endless:"+strings.Fields(rest)[0])
		}
	}
	return strings.Join(list, " ")
}

// TestReportOrder looks at which functions are reported, and in which order;
// the answers are the reference's, which is asked where it is there.
func TestReportOrder(t *testing.T) {
	for _, c := range []struct{ text, options, want string }{
		{"s b|s m b|s z m|k k z", "-v", "k b m z"},
		{"s z|s y|k k y z|k l z", "-v", "l z k y z"},
		{"r z|s y|r x|k k y x z", "-v", "k x z y"},
		{"s g|r f g|k k f", "-v -O0", "k f g"},
		{"s g|r f g|k k f", "-v -g", "endless:'k' k g f"},
		{"s g|r f g|k k f|k l g", "-v -ewp", "endless:'k' l g k f g"},
		{"v f1|v f2|v f3|k k f2 f1 f3", "-v -c", "f3 f1 f2 k"},
		{"s f3|v f1|k k|v f2", "-v -c", "f3 k f2 f1"},
		{"v g|r f g|k k f|k l g", "-v -c", "g f l k"},
		{"s s2|s s1 v1|v v1|k k s2|k l v1", "-v -c", "v1 s1 s2 l k"},
		{"s s2|s s1 v1|v v1|k k s2|k l v1", "-v -c -O0", "v1 k l s2 s1"},
		{"s s2|s s1 v1|v v1|k k s2|k l v1", "-v -c -split-compile=2", "v1 k l s2 s1"},
		{"s g|r w g|k k w g|k l g", "-v", "l g k g w"},
		{"s g|r w g|k k w g|k l g", "-v -Ofc=min", "endless:'k' g w k l"},
		{"s g|r w g|k k w g|k l g", "-v -Ofc=max", "endless:'k' k w g l"},
		{"s f|k a|k b f|k d", "-v -Ofc=min", "a f b d"},
		{"s f|s g|k a g f|k b f g", "-v -Ofc=min -e b,a", "g f b a"},
		{"s f|s g|k a g f|k b f g", "-v -Ofc=max -e b,a", "b f g a"},
		{"s f|k a|k b|k c &f|k d", "-v", "c f b d a"},
		{"s f|k a|k b|k c @f|k d|k e|k g", "-v", "c f d g b e a"},
		{"s f|s g|k a|k b &f|k c g|k d &g|k e", "-v", "b f g d f g c g e a"},
		{"s f|s g &f|k a|k b|k c g|k d", "-v", "c f g b d a"},
		{"s f|k a|k b|k c *|k d", "-v", "d c b a"},
		{"s f|s g *|k a|k b @f|k c g|k d", "-v -ewp", "b f c f g d a"},
		{"s h|s f h|k a &f|k b *|k c", "-v -ewp -O0", "b f h a f h c"},
		{"v f|r g|k a g f|k b f *|k c &g &f", "-v -ewp", "endless:'b' endless:'c' endless:'a' b f g c f g a f g"},
		{"r f|k a f|k b &f|k c f|k d *", "-v -g", "endless:'d' endless:'b' endless:'c' endless:'a' d b c a f"},
		{"r f|k a|k b @f|k c *|k d f", "-v -Ofc=max", "endless:'c' endless:'d' c b f a d"},
		{"r f|k a|k b @f|k c *|k d f", "-v -g -ewp", "b c d a f"},
		{"s f|s g &f|k a|k b|k c g|k d", "-v -g", "g c a f d b"},
		{"s f|s g|k a|k b &f|k c g|k d &g|k e", "-v -c -O0", "d b f c g a e"},
		{"s f|k a|k b &f|k c|k d", "-v -g -ewp", "b d c a f"},
		{"v f|k a &f|k b", "-v -c", "b f a"},
		{"s f|s g|k a|k b f &g|k c &f|k d", "-v -Ofc=min", "a f g b c d"},
		{"s f|s g|k a|k b f &g|k c &f|k d", "-v -Ofc=max", "c b g a f d"},
		{"v u|s w|r x|s y w|k a|k b u", "-v -g", "u a b w x y"},
		{"v u|s w|r x|s y w|k a|k b u", "-v -g -ewp", "u a b w x y"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "x.ptx"), []byte(orderText(strings.Split(c.text, "|"))), 0o644); err != nil {
			t.Fatal(err)
		}
		args := slices.Concat(strings.Fields(c.options), []string{"x.ptx"})
		if got := reportedOrder(runSelf(t, dir, args...)); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.text, c.options, got, c.want)
		}
		if !oracle.Available() {
			continue
		}
		if got := reportedOrder(oracle.Find(t).Run(dir, "ptxas", args...)); got != c.want {
			t.Errorf("%s %s: the reference says %s, not %s", c.text, c.options, got, c.want)
		}
	}
}
