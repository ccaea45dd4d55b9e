package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// build is one compilation of one PTX file.
type build struct {
	Out     string  // cubin
	Err     string  // first line of what went wrong, "" if all is well
	Seconds float64 // wall time
}

// compile runs `command args in -o out`. Words of command are separated by
// blanks.
func compile(command string, args []string, in, out string) build {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	words := append(strings.Fields(command), args...)
	words = append(words, in, "-o", out)
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	os.Remove(out) //nolint:errcheck // it need not exist
	t := time.Now()
	err := c.Run()
	b := build{Out: out, Seconds: time.Since(t).Seconds()}
	if err != nil {
		b.Err = firstLine(stderr.String())
		if b.Err == "" {
			b.Err = err.Error()
		}
	} else if _, err := os.Stat(out); err != nil {
		b.Err = "no output"
	}
	return b
}

func firstLine(s string) string {
	for l := range strings.Lines(s) {
		if l = strings.TrimSpace(l); l != "" && !strings.Contains(l, "warning :") && !strings.Contains(l, "info    :") {
			return l
		}
	}
	return ""
}

// parallel calls do for 0 to n-1 on j goroutines.
func parallel(n, j int, do func(k int)) {
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(1, j) {
		wg.Go(func() {
			for k := range next {
				do(k)
			}
		})
	}
	for k := range n {
		next <- k
	}
	close(next)
	wg.Wait()
}

// ptxFiles lists the PTX files below a folder, by name.
func ptxFiles(dir string) ([]string, error) {
	var list []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(path, ".ptx") {
			list = append(list, path)
		}
		return err
	})
	return list, err
}

// workspace lists the PTX files below dir and makes a folder for their
// cubins, which the caller removes.
func workspace(dir string) (files []string, tmp string, err error) {
	if files, err = ptxFiles(dir); err != nil {
		return nil, "", err
	}
	tmp, err = os.MkdirTemp("", "gpurun")
	return files, tmp, err
}

// archOf returns the architecture a PTX file is compiled for: its own target
// where that is sm_90 or one that came after it, else that of the GPU at hand,
// sm_90a.
func archOf(text string) string {
	if _, rest, ok := strings.Cut(text, ".target"); ok {
		f := strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' || r == '\n' || r == '\r' })
		if len(f) > 0 && (f[0] == "sm_90" || strings.HasPrefix(f[0], "sm_1")) {
			return f[0]
		}
	}
	return "sm_90a"
}
