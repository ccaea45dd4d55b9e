package driver

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/src"
)

// stringInput is the file name that messages show for PTX text given on the
// command line.
const stringInput = "application ptx input"

// stdinName is what messages call standard input where their form is our own;
// the reference's names a temporary file.
const stdinName = "<stdin>"

func readAll(in io.Reader) ([]byte, error) {
	if in == nil {
		return nil, nil
	}
	return io.ReadAll(in)
}

// Source is one input: its text, or why there is none.
type Source struct {
	File *src.File
	Err  string // the input could not be read: message without severity
}

// readInputs reads every input, files before texts. One that cannot be read
// does not keep the others from being checked; a temporary folder that cannot
// be written to does.
func readInputs(line *cli.Line, stdin io.Reader) (list []Source, fault *cli.Fault) {
	stdins := 0
	for _, name := range line.Inputs {
		if name != "-" {
			list = append(list, readFile(name))
			continue
		}
		if form := line.Text(cli.Diagnostics, "text"); form != "text" {
			text, err := readAll(stdin)
			if err != nil {
				return nil, cli.Faultf("Standard input could not be read: %v", err)
			}
			list = append(list, Source{File: &src.File{Name: stdinName, Text: text}})
			continue
		}
		f, fault := readStdin(stdin, stdins)
		if fault != nil {
			return nil, fault
		}
		stdins++
		list = append(list, Source{File: f})
	}
	for _, text := range line.List(cli.InputAsString) {
		list = append(list, Source{File: &src.File{Name: stringInput, Text: []byte(text)}})
	}
	return list, nil
}

// largeInputs is how many bytes inputs have, together, to be no small ones.
const largeInputs = 8 << 10

// bytesOf is how many bytes inputs have together.
func bytesOf(files []Source) (n int) {
	for _, f := range files {
		n += len(f.File.Text)
	}
	return n
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

// readStdin names what it reads by a file of the temporary folder, as messages
// of the reference do, and fails where that file cannot be written. It does
// not stay. n counts such files.
func readStdin(stdin io.Reader, n int) (*src.File, *cli.Fault) {
	stem := filepath.Join(os.TempDir(), fmt.Sprintf("tmpxft_%08x_", os.Getpid()))
	f := &src.File{Name: fmt.Sprintf("%s00000000-%d_stdin", stem, n)}
	var err error
	if f.Text, err = readAll(stdin); err == nil {
		err = os.WriteFile(f.Name, f.Text, 0o600)
	}
	os.Remove(f.Name) // nothing reads it: only its name is needed from here on
	if err != nil {
		return nil, cli.Faultf("Could not open output file '%s0000000a'", stem)
	}
	return f, nil
}
