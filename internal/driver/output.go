package driver

import (
	"context"
	"os"
	"strings"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/atomicfile"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/stats"
)

// writeOutput writes the cubin: a regular file appears whole or not at all;
// anything else, such as a device, is written in place.
func writeOutput(ctx context.Context, name string, data []byte) error {
	f, err := atomicfile.Create(name)
	if err != nil {
		return unopened(name)
	}
	defer f.Abort()
	if _, err = f.Write(data); err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = f.Commit()
	}
	if err != nil {
		return cli.Faultf("Output file '%s' could not be written: %v", name, err)
	}
	return nil
}

func unopened(name string) error {
	return cli.Faultf("Output file '%s' could not be opened", name)
}

// finish prints the statistics and completes the trace file after the
// output is safe.
func finish(ctx context.Context, line *cli.Line, sink *diag.Sink, job *Job, res *Result) int {
	if err := printStats(line, sink, job, res); err != nil {
		sink.Say(diag.Fatal, err.Error())
		return Failed
	}
	if line.Has(cli.TimeTrace) && res.Cubin != nil {
		if err := extendTrace(ctx, line.Text(cli.TimeTrace, ""), job, res); err != nil {
			sink.Say(diag.Fatal, err.Error())
			return Failed
		}
	}
	if sink.Errors() > 0 {
		return Failed
	}
	return 0
}

// printStats shows what --compiler-stats asked for, on the terminal or at the
// end of a file. Only a run that made code has statistics.
func printStats(line *cli.Line, sink *diag.Sink, job *Job, res *Result) error {
	if res.Cubin == nil {
		return nil
	}
	want, err := stats.ParseWant(line.List(cli.CompilerStats))
	if err != nil {
		return err
	}
	blocks := res.Stats.Blocks(want)
	if len(blocks) == 0 {
		return nil
	}
	if !line.Has(cli.CompilerStatsFile) {
		for _, b := range blocks {
			sink.Say(diag.Info, "STAT: "+strings.TrimSuffix(b, "\n"))
		}
		return nil
	}
	name := line.Text(cli.CompilerStatsFile, "")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return unopened(name)
	}
	defer f.Close()
	return res.Stats.WriteFile(f, job.Files[0].File.Name, want)
}
