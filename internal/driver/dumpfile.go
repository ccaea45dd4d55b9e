package driver

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"sync"
)

// dumps makes the files that take functions after phases, in the current
// folder.
type dumps struct {
	log io.Writer

	mu   sync.Mutex
	told map[string]bool // functions whose files have another name
}

// mostName is how many bytes a file name may have on every system, less what
// phases and endings take.
const mostName = 255 - 64

// named is how a function is called in the names of its files: a name that is
// too long for one is cut, and a hash of it tells it from others.
func (d *dumps) named(fn string) string {
	if len(fn) <= mostName {
		return fn
	}
	short := fmt.Sprintf("%s-%x", fn[:mostName-17], sha256.Sum256([]byte(fn)))[:mostName]
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.told[fn] {
		if d.told == nil {
			d.told = map[string]bool{}
		}
		d.told[fn] = true
		fmt.Fprintf(d.log, "ptxas info    : The name of function '%s' is too long for a file: its dumps are called '%s'\n", fn, short)
	}
	return short
}

// create opens the file for a function after a phase.
func (d *dumps) create(fn string, seq int, phase, kind string) (io.WriteCloser, error) {
	name := fmt.Sprintf("%s_%02d_%s", d.named(fn), seq, phase)
	if kind != "html" {
		return os.Create(name + ".ori")
	}
	f, err := os.Create(name + ".html")
	if err != nil {
		return nil, err
	}
	p := page{f}
	_, err = fmt.Fprintf(f, "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>%s</title>\n<pre>\n", html.EscapeString(name))
	return p, err
}

// page is a dump that a browser shows.
type page struct{ f *os.File }

func (p page) Write(b []byte) (int, error) {
	if _, err := io.WriteString(p.f, html.EscapeString(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (p page) Close() error {
	_, err := io.WriteString(p.f, "</pre>\n")
	return errors.Join(err, p.f.Close())
}
