package ori

import (
	"bytes"
	"testing"
)

func TestRecordsRoundTrip(t *testing.T) {
	m, err := Parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	b := m.AppendRecords(nil)
	if len(b)%recordAlign != 0 {
		t.Errorf("%d bytes", len(b))
	}
	m2, err := ReadRecords(b)
	if err != nil {
		t.Fatal(err)
	}
	for n, f := range m.Funcs {
		if got, want := m2.Funcs[n].String(), f.String(); got != want {
			t.Errorf("read\n%s\nwant\n%s", got, want)
		}
	}
	if !bytes.Equal(b, m2.AppendRecords(nil)) {
		t.Error("written again, the records differ")
	}
}

func FuzzRecords(f *testing.F) {
	m, err := Parse(sample)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(m.AppendRecords(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ReadRecords(b)
		if err != nil {
			return
		}
		for _, fn := range m.Funcs {
			_ = fn.String()
		}
		m.AppendRecords(nil)
	})
}
