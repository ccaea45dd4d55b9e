package view

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/goptxas/goptxas/internal/driver"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/target"
)

// Counter runs the kernels of a cubin as a description in a file says and
// returns how often each instruction was issued.
type Counter func(cubin []byte, desc string) (map[string][]uint64, error)

// Main is the command gosass view: it compiles PTX and writes the page. count
// may be nil, where nothing can be run.
func Main(args []string, out, errs io.Writer, count Counter) int {
	fs := flag.NewFlagSet("view", flag.ContinueOnError)
	fs.SetOutput(errs)
	arch := fs.String("arch", "", "the GPU; the text's own without it")
	page := fs.String("o", "", "the page; beside the text without it")
	desc := fs.String("desc", "", "a text with a launch description: run it in the simulator and show what is hot")
	if fs.Parse(args) != nil || fs.NArg() == 0 {
		fmt.Fprintln(errs, "usage: gosass view [-arch SM] [-o PAGE.html] [-desc FILE] FILE.ptx")
		return 2
	}
	name := fs.Arg(0)
	if err := fs.Parse(fs.Args()[1:]); err != nil || fs.NArg() > 0 {
		fmt.Fprintln(errs, "gosass: view takes one file")
		return 2
	}
	text, err := os.ReadFile(name)
	if err == nil {
		if *page == "" {
			*page = strings.TrimSuffix(name, filepath.Ext(name)) + ".html"
		}
		err = write(name, text, *arch, *page, *desc, errs, count)
	}
	if err != nil {
		fmt.Fprintln(errs, "gosass:", err)
		return 3
	}
	fmt.Fprintln(out, *page)
	return 0
}

func write(name string, text []byte, arch, page, desc string, errs io.Writer, count Counter) error {
	if arch == "" {
		if arch = driver.OwnTarget(text); !strings.HasPrefix(arch, "sm_") {
			arch = target.Default
		}
	}
	c := New()
	var log bytes.Buffer
	r := driver.Request{Args: []string{"-arch=" + arch, "--diagnostics=pretty"}, Texts: []driver.Text{{Name: name, Text: text}}, Log: &log, Watch: c}
	file, ok := r.Compile(context.Background())
	errs.Write(log.Bytes()) //nolint:errcheck // a closed stream must not hide the page
	if !ok || file == nil {
		return fmt.Errorf("%s was not compiled", name)
	}
	p, err := c.Page(filepath.Base(name), []src.File{{Name: name, Text: text}}, file)
	if err != nil {
		return err
	}
	if desc != "" && count != nil {
		hot, err := count(file, desc)
		if err != nil {
			return err
		}
		for k, n := range hot {
			p.Hot(k, n)
		}
	}
	html, err := p.HTML()
	if err != nil {
		return err
	}
	return os.WriteFile(page, html, 0o644)
}
