package driver

import (
	"context"
	"errors"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/pipeline"
)

// Watcher sees a compilation from inside: every kernel after each of its
// phases. The pipeline calls it from many goroutines at once.
type Watcher = pipeline.Watcher

// Viewer is a Watcher that makes a page of what it saw and the file that came
// of it.
type Viewer interface {
	Watcher
	Render(title string, texts []src.File, cubin []byte) ([]byte, error)
}

// viewer returns who watches a line's compilation; nil where none was asked
// for.
func viewer(line *cli.Line, w *Env) (Viewer, *cli.Fault) {
	if !line.Has(cli.View) {
		return nil, nil
	}
	if w.Viewer == nil {
		return nil, &cli.Fault{Text: "Option '--view' is not supported here"}
	}
	return w.Viewer(), nil
}

// writeView writes the page of a compilation.
func writeView(ctx context.Context, name string, v Viewer, job *Job, res *Result) error {
	if res.Cubin == nil {
		return errors.New("option '--view' needs a compilation to code")
	}
	texts := make([]src.File, len(job.Files))
	for i, f := range job.Files {
		texts[i].Name, texts[i].Text = f.File.Name, f.File.Text
	}
	page, err := v.Render(texts[0].Name, texts, res.Cubin)
	if err != nil {
		return err
	}
	return writeOutput(ctx, name, page)
}
