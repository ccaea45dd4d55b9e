package format

import (
	"strings"
	"testing"
)

func TestOutline(t *testing.T) {
	o := OutlineOf([]byte(tidy))
	want := "k .entry 0, a .param 1, n .param 1, %p .reg 1, %r .reg 1, %a .reg 1, DONE  1, t .global 0"
	var got []string
	for _, d := range o.Decls {
		got = append(got, d.Name+" "+d.Space+" "+string(rune('0'+d.Body)))
	}
	if strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
	use := strings.Index(tidy, "{%r1, %r2}")
	for name, text := range map[string]string{"%r1": "%r<4>", "%r4": "", "a": "a,", "DONE": "DONE:", "t": "t[4]", "k": "k("} {
		d := o.Find(name, use)
		if (d == nil) != (text == "") || d != nil && !strings.HasPrefix(tidy[d.Pos:], text) {
			t.Errorf("%s: %+v, want the place of %q", name, d, text)
		}
	}
	if d := o.Find("a", 0); d != nil {
		t.Errorf("a parameter is seen outside its kernel: %+v", d)
	}
}
