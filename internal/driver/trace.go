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
	Pid  int64  `json:"pid"`
	Tid  int64  `json:"tid"`
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
	file, events, err := readTrace(name, data)
	if err != nil {
		return err
	}
	from, err := startOf(job.Settings.Line, events)
	if err != nil {
		return err
	}
	r := res.Stats
	parsed := r.Time[stats.Parse] + r.Time[stats.Setup]
	events = append(events,
		from.event("Total PTXAS Time", job.Files[0].File.Name, 0, r.Wall),
		from.event("PTX parsing and setup time", "", 0, parsed))
	events = append(events, res.spans.events(from, r.Begun)...)
	at := max(parsed, res.spans.end(r.Begun))
	events = append(events, from.event("Post processing", "", at, max(0, r.Wall-at)))
	if file["traceEvents"], err = json.Marshal(events); err != nil {
		return err
	}
	if data, err = json.Marshal(file); err != nil {
		return err
	}
	return writeOutput(ctx, name, data)
}

// badTrace is the fault of a trace that is JSON but no trace.
func badTrace(what string) error {
	return cli.Faultf("Parsed trace file not in expected format : %s", what)
}

// readTrace returns the parts of a trace file and its events.
func readTrace(name string, data []byte) (file map[string]json.RawMessage, events []json.RawMessage, err error) {
	if json.Unmarshal(data, &file) != nil {
		return nil, nil, cli.Faultf("Input file '%s' not in expected format", name)
	}
	list, ok := file["traceEvents"]
	if !ok {
		return nil, nil, badTrace("expected key 'traceEvents'")
	}
	if json.Unmarshal(list, &events) != nil {
		return nil, nil, badTrace("expected key 'traceEvents' to be a JSON Array")
	}
	return file, events, nil
}

// origin is where the events of a run begin and whose they are.
type origin struct {
	pid, tid, ts int64
}

// startOf finds the origin: ours from zero, or behind the first event of the
// name that --ftrace-phase-after gives, which also says whose they are unless
// --use-trace-pid does.
func startOf(line *cli.Line, events []json.RawMessage) (origin, error) {
	o := origin{pid: line.Long(cli.TracePID, 0)}
	named := o.pid != 0
	if !named {
		o.pid = int64(os.Getpid())
	}
	if !line.Has(cli.TraceAfter) {
		return o, nil
	}
	for _, raw := range events {
		var e map[string]json.RawMessage
		if json.Unmarshal(raw, &e) != nil {
			return o, badTrace("expected key 'name' in parsed JSON Object")
		}
		var name string
		if v, ok := e["name"]; !ok {
			return o, badTrace("expected key 'name' in parsed JSON Object")
		} else if json.Unmarshal(v, &name) != nil {
			return o, badTrace("expected data type String for key 'name' in parsed JSON Object")
		}
		if name == line.Text(cli.TraceAfter, "") {
			return o.behind(e, named)
		}
	}
	return o, badTrace("--ftrace-phase-after string not found in input file")
}

// behind returns the origin at the end of an event.
func (o origin) behind(e map[string]json.RawMessage, named bool) (origin, error) {
	var n [4]int64
	keys := [...]string{"ts", "dur", "pid", "tid"}
	for i, key := range keys {
		if v, ok := e[key]; !ok {
			return o, badTrace("expected key '" + key + "'")
		} else if json.Unmarshal(v, &n[i]) != nil {
			return o, badTrace("expected data type Int for key '" + key + "'")
		}
	}
	o.ts = n[0] + n[1]
	if !named {
		o.pid, o.tid = n[2], n[3]
	}
	return o, nil
}

func (o origin) event(what, name string, at, dur time.Duration) json.RawMessage {
	e := traceEvent{Name: what, Ph: "X", Pid: o.pid, Tid: o.tid, Ts: o.ts + at.Microseconds(), Dur: dur.Microseconds()}
	e.Args.Name = name
	b, err := json.Marshal(e)
	if err != nil {
		return json.RawMessage("{}")
	}
	return b
}
