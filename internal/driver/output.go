package driver

import (
	"context"

	"goptxas/internal/driver/cli"
	"goptxas/internal/engine/atomicfile"
	"goptxas/internal/engine/diag"
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

func printStats(line *cli.Line, sink *diag.Sink, job *Job, res *Result) error {
	if !line.Has(cli.CompilerStats) || res.Cubin == nil {
		return nil
	}
	texts := statTexts(wanted(line.List(cli.CompilerStats)), &res.Cost, res.Units)
	if len(texts) == 0 {
		return nil
	}
	if line.Has(cli.CompilerStatsFile) {
		return appendStats(line.Text(cli.CompilerStatsFile, ""), job.Files[0].File.Name, texts)
	}
	for _, t := range texts {
		sink.Say(diag.Info, "STAT: "+t)
	}
	return nil
}
