package directive

import (
	"slices"
	"testing"
)

// TestSplit cuts lines into words and pairs; quotes keep blanks, commas and
// equals signs.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		line  string
		words []string
		key   string
		value string
	}{
		{`.func k regs=14, bind=GLOBAL`, []string{".func", "k"}, "regs", "14"},
		{`.section ".text.a b" align=0x80`, []string{".section", ".text.a b"}, "align", "0x80"},
		{`name="x=1, y" end`, []string{"end"}, "name", "x=1, y"},
		{`@"sym bol"`, []string{"@sym bol"}, "none", ""},
		{"", nil, "none", ""},
	} {
		d, err := Split(c.line)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if !slices.Equal(d.Words, c.words) || d.Value(c.key) != c.value {
			t.Errorf("%s: %q, %s is %q", c.line, d.Words, c.key, d.Value(c.key))
		}
	}
	if _, err := Split(`.name "open`); err == nil {
		t.Error("an open string")
	}
}

// TestNumber reads numbers in any base and refuses what is none.
func TestNumber(t *testing.T) {
	d, err := Split("a=0x20 b=7 c=x")
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]uint64{"a": 32, "b": 7, "absent": 0} {
		if n, err := d.Number(key); n != want || err != nil {
			t.Errorf("%s: %d, %v", key, n, err)
		}
	}
	if _, err := d.Number("c"); err == nil {
		t.Error("x is a number")
	}
}
