package serve

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"
)

// bounds are the upper ends, in seconds, of the classes of the histogram.
var bounds = [...]float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60}

// outcomes of orders.
const (
	compiled = iota
	rejected // the program was at fault
	refused  // the order was
	busy
	late
	gone // the client went away
	failed
	numOutcomes
)

var outcomeNames = [numOutcomes]string{"compiled", "rejected", "refused", "busy", "late", "gone", "failed"}

// metrics counts what the server did.
type metrics struct {
	mu       sync.Mutex
	begun    time.Time
	outcomes [numOutcomes]int64
	classes  [len(bounds) + 1]int64
	seconds  float64
	in, out  int64
	running  int64
}

func (m *metrics) run(d int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running += d
}

// count notes the end of an order; took is 0 where nothing was compiled.
func (m *metrics) count(outcome int, in, out int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.outcomes[outcome]++
	m.in, m.out = m.in+int64(in), m.out+int64(out)
	if took == 0 {
		return
	}
	s := took.Seconds()
	m.seconds += s
	n := 0
	for n < len(bounds) && s > bounds[n] {
		n++
	}
	m.classes[n]++
}

// text writes all in the text format of Prometheus.
func (m *metrics) text(queued int) string {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	m.mu.Lock()
	defer m.mu.Unlock()
	var s strings.Builder
	head := func(name, kind, help string) {
		fmt.Fprintf(&s, "# HELP goptxas_%s %s\n# TYPE goptxas_%s %s\n", name, help, name, kind)
	}
	value := func(name, kind, help string, v float64) {
		head(name, kind, help)
		fmt.Fprintf(&s, "goptxas_%s %g\n", name, v)
	}
	head("orders_total", "counter", "Orders by how they ended.")
	for n, name := range outcomeNames {
		fmt.Fprintf(&s, "goptxas_orders_total{outcome=%q} %d\n", name, m.outcomes[n])
	}
	head("compile_seconds", "histogram", "Time of compilations, without waiting.")
	total := int64(0)
	for n, le := range bounds {
		total += m.classes[n]
		fmt.Fprintf(&s, "goptxas_compile_seconds_bucket{le=\"%g\"} %d\n", le, total)
	}
	total += m.classes[len(bounds)]
	fmt.Fprintf(&s, "goptxas_compile_seconds_bucket{le=\"+Inf\"} %d\ngoptxas_compile_seconds_sum %g\ngoptxas_compile_seconds_count %d\n", total, m.seconds, total)
	value("received_bytes_total", "counter", "Bytes of orders.", float64(m.in))
	value("sent_bytes_total", "counter", "Bytes of cubins.", float64(m.out))
	value("running", "gauge", "Compilations that run.", float64(m.running))
	value("waiting", "gauge", "Compilations that wait.", float64(queued))
	value("heap_bytes", "gauge", "Memory of the heap.", float64(mem.HeapInuse))
	value("uptime_seconds", "gauge", "Time since the start.", time.Since(m.begun).Seconds())
	return s.String()
}
