package driver

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"goptxas/internal/driver/cli"
	"goptxas/internal/engine/src"
)

// stringInput is the file name that messages show for PTX text given on the
// command line.
const stringInput = "application ptx input"

// Source is one input: its text, or why there is none.
type Source struct {
	File *src.File
	Err  string // the input could not be read: message without severity
}

// readInputs reads every input, files before texts. One that cannot be read
// does not keep the others from being checked. The caller runs cleanup when
// the compilation is over.
func readInputs(line *cli.Line, stdin io.Reader) (list []Source, cleanup func()) {
	cleanup = func() {}
	for _, name := range line.Inputs {
		if name != "-" {
			list = append(list, readFile(name))
			continue
		}
		var s Source
		s, cleanup = readStdin(stdin, cleanup)
		list = append(list, s)
	}
	for _, text := range line.List(cli.InputAsString) {
		list = append(list, Source{File: &src.File{Name: stringInput, Text: []byte(text)}})
	}
	return list, cleanup
}

func readFile(name string) Source {
	f := &src.File{Name: name}
	data, err := os.ReadFile(name)
	if err != nil {
		if st, err2 := os.Stat(name); err2 != nil || !st.IsDir() {
			return Source{f, fmt.Sprintf("Input file '%s' could not be opened", name)}
		}
		data = nil // a folder reads as an empty file
	}
	if int64(len(data)) > src.MaxSize {
		return Source{f, fmt.Sprintf("Input file '%s' is larger than %d bytes", name, int64(src.MaxSize))}
	}
	f.Text = data
	return Source{File: f}
}

// readStdin keeps what it reads in a file of the temporary folder, whose
// path is the name that messages show.
func readStdin(stdin io.Reader, before func()) (Source, func()) {
	name := filepath.Join(os.TempDir(), fmt.Sprintf("tmpxft_%08x_00000000-0_stdin", os.Getpid()))
	f := &src.File{Name: name}
	var data []byte
	var err error
	if stdin != nil {
		data, err = io.ReadAll(stdin)
	}
	if err == nil {
		err = os.WriteFile(name, data, 0o600)
	}
	if err != nil {
		return Source{f, fmt.Sprintf("Could not open output file '%s'", name)}, before
	}
	f.Text = data
	return Source{File: f}, func() { os.Remove(name); before() }
}
