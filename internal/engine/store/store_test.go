package store

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func key(n int) Key { return sha256.Sum256([]byte(fmt.Sprint(n))) }

func open(t *testing.T, limit int64) *Dir {
	t.Helper()
	d, err := Open(filepath.Join(t.TempDir(), "a", "b"), limit)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestRoundTrip(t *testing.T) {
	d := open(t, 1<<20)
	if _, ok := d.Get(key(1)); ok {
		t.Error("an empty folder has an entry")
	}
	for _, body := range [][]byte{nil, []byte("x"), bytes.Repeat([]byte("abc"), 5000)} {
		d.Put(key(1), body)
		if got, ok := d.Get(key(1)); !ok || !bytes.Equal(got, body) {
			t.Errorf("%d bytes, %v, want %d", len(got), ok, len(body))
		}
	}
	if hits, misses := d.Counts(); hits != 3 || misses != 1 {
		t.Errorf("%d found, %d missed", hits, misses)
	}
}

// TestDamage changes every byte of an entry, and cuts it at every length: it
// is missing then, gone afterwards, and can be written anew.
func TestDamage(t *testing.T) {
	d := open(t, 1<<20)
	body := []byte("the bytes of a kernel")
	d.Put(key(7), body)
	name := d.file(key(7))
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 * len(whole) {
		bad := bytes.Clone(whole)
		if n < len(whole) {
			bad[n] ^= 0x10
		} else {
			bad = bad[:n-len(whole)]
		}
		if err := os.WriteFile(name, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, ok := d.Get(key(7)); ok {
			t.Fatalf("damage %d was not seen", n)
		}
		if _, err := os.Stat(name); !os.IsNotExist(err) {
			t.Fatalf("damage %d: the file is still there", n)
		}
		d.Put(key(7), body)
		if got, ok := d.Get(key(7)); !ok || !bytes.Equal(got, body) {
			t.Fatalf("damage %d: not written anew", n)
		}
	}
}

// TestTogether has many writers and readers of the same few entries, in two
// stores of one folder: whoever finds one finds it whole.
func TestTogether(t *testing.T) {
	a := open(t, 64<<10)
	b, err := Open(a.path, 64<<10)
	if err != nil {
		t.Fatal(err)
	}
	body := func(n int) []byte { return bytes.Repeat([]byte{byte(n)}, 1000+n) }
	var wg sync.WaitGroup
	for w := range 8 {
		d := a
		if w%2 == 1 {
			d = b
		}
		wg.Go(func() {
			for k := range 300 {
				n := (k*7 + w) % 40
				if got, ok := d.Get(key(n)); ok && !bytes.Equal(got, body(n)) {
					t.Errorf("entry %d is another", n)
				}
				d.Put(key(n), body(n))
			}
		})
	}
	wg.Wait()
}

// TestLimit fills a folder with more than it may hold: the oldest go, those
// used lately stay.
func TestLimit(t *testing.T) {
	d := open(t, 100<<10)
	old := time.Now().Add(-10 * fresh)
	for n := range 50 {
		d.Put(key(n), make([]byte, 1<<10))
		at := old.Add(time.Duration(n) * time.Minute)
		if err := os.Chtimes(d.file(key(n)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := d.Get(key(0)); !ok { // used now
		t.Fatal("gone too early")
	}
	for n := 50; n < 120; n++ {
		d.Put(key(n), make([]byte, 1<<10))
	}
	d.Trim()
	total := int64(0)
	files, err := filepath.Glob(filepath.Join(d.path, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if st, err := os.Stat(f); err == nil {
			total += st.Size()
		}
	}
	if total > d.limit || total < d.limit/2 {
		t.Errorf("%d bytes of %d", total, d.limit)
	}
	if _, ok := d.Get(key(0)); !ok {
		t.Error("what was used lately is gone")
	}
	if _, ok := d.Get(key(1)); ok {
		t.Error("what was used long ago is there")
	}
}

// TestReadOnly: a folder that cannot be written is a store that forgets.
func TestReadOnly(t *testing.T) {
	d := open(t, 1<<20)
	blocked := filepath.Join(d.path, fmt.Sprintf("%x", key(3))[:2])
	if err := os.WriteFile(blocked, nil, 0o666); err != nil { // no folder can be made here
		t.Fatal(err)
	}
	d.Put(key(3), []byte("x"))
	if _, ok := d.Get(key(3)); ok {
		t.Error("found what cannot be there")
	}
}
