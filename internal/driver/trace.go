package driver

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/stats"
)

// traceEvent is one complete event of a Chrome trace.
type traceEvent struct {
	Args struct {
		Name string `json:"name"`
	} `json:"args"`
	Dur  int64  `json:"dur"` // microseconds
	Name string `json:"name"`
	Ph   string `json:"ph"`
	Pid  int    `json:"pid"`
	Tid  int    `json:"tid"`
	Ts   int64  `json:"ts"`
}

// extendTrace adds the run to an existing trace file: the host tool opened
// it, every tool it calls adds its own events.
func extendTrace(ctx context.Context, name string, job *Job, res *Result) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return cli.Faultf("File '%s' could not be opened", name)
	}
	if len(data) == 0 {
		return cli.Faultf("Parsed trace file not in expected format : Error reading input trace file to buffer")
	}
	var file map[string]json.RawMessage
	var events []json.RawMessage
	if json.Unmarshal(data, &file) != nil || json.Unmarshal(file["traceEvents"], &events) != nil {
		return cli.Faultf("Input file '%s' not in expected format", name)
	}
	r := res.Stats
	parsed := r.Time[stats.Parse] + r.Time[stats.Setup]
	events = append(events,
		event("Total PTXAS Time", job.Files[0].File.Name, 0, r.Wall),
		event("PTX parsing and setup time", "", 0, parsed))
	at := parsed
	for i := range r.Units {
		events = append(events, event("Optimizing compilation unit", r.Units[i].Entry, at, r.Units[i].Total))
		at += r.Units[i].Total
	}
	events = append(events, event("Post processing", "", at, max(0, r.Wall-at)))
	if file["traceEvents"], err = json.Marshal(events); err != nil {
		return err
	}
	if data, err = json.Marshal(file); err != nil {
		return err
	}
	return writeOutput(ctx, name, data)
}

func event(what, name string, at, dur time.Duration) json.RawMessage {
	e := traceEvent{Name: what, Ph: "X", Pid: os.Getpid(), Ts: at.Microseconds(), Dur: dur.Microseconds()}
	e.Args.Name = name
	b, err := json.Marshal(e)
	if err != nil {
		return json.RawMessage("{}")
	}
	return b
}
