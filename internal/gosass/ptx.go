package gosass

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/goptxas/goptxas/internal/driver"
	"github.com/goptxas/goptxas/internal/target"
)

// isPTX reports whether an input is PTX text: it says .version before anything
// that is no text.
func isPTX(b []byte) bool {
	n := bytes.Index(b, []byte(".version"))
	return n >= 0 && bytes.IndexByte(b[:n], 0) < 0
}

// compiled compiles PTX for a GPU, or for the one that it names.
func compiled(name string, text []byte, arch *target.Arch) ([]byte, error) {
	gpu := driver.OwnTarget(text)
	if target.Find(gpu) == nil {
		gpu = target.Archs[0].Name
	}
	if arch != nil {
		gpu = arch.Name
	}
	var log bytes.Buffer
	r := driver.Request{Args: []string{"-arch=" + gpu, "--diagnostics=text"}, Texts: []driver.Text{{Name: name, Text: text}}, Log: &log}
	file, ok := r.Compile(context.Background())
	if !ok || file == nil {
		return nil, errors.New("not compiled:\n" + strings.TrimSpace(log.String()))
	}
	return file, nil
}
