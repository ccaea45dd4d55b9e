// Package serve is a compile server and its client: a host that compiles
// kernels as it needs them pays for no process, and a build farm has one place
// that is warm. It speaks HTTP with JSON on a Unix socket or a port; see
// docs/serve.md.
package serve

import "github.com/goptxas/goptxas/internal/driver"

// Order is the body of POST /v1/compile.
type Order struct {
	// Args are options as driver.IsPortable takes them: --gpu-name=sm_90.
	Args   []string `json:"args"`
	Inputs []Input  `json:"inputs"`
}

// Input is one PTX text, as text or as bytes in base64.
type Input struct {
	Name string `json:"name"`
	Text string `json:"text,omitempty"`
	Data []byte `json:"data,omitempty"`
}

// Result is the answer to an Order. A program that does not compile is an
// answer too: OK is false and Log says why.
type Result struct {
	OK    bool   `json:"ok"`
	Log   string `json:"log"`
	Cubin []byte `json:"cubin,omitempty"`
}

// Failure is the answer where there was no compilation.
type Failure struct {
	Error string `json:"error"`
}

// compilePath takes orders, healthPath and metricsPath tell of the server.
const (
	compilePath = "/v1/compile"
	healthPath  = "/healthz"
	metricsPath = "/metrics"
)

// texts returns the inputs of an order, and their size.
func (o *Order) texts() (list []driver.Text, size int64) {
	for _, in := range o.Inputs {
		text := in.Data
		if text == nil {
			text = []byte(in.Text)
		}
		list = append(list, driver.Text{Name: in.Name, Text: text})
		size += int64(len(text))
	}
	return list, size
}

// check returns why an order is not taken, "" if it is.
func (o *Order) check() string {
	if len(o.Inputs) == 0 {
		return "no inputs"
	}
	for _, a := range o.Args {
		if !driver.IsPortable(a) {
			return "option '" + a + "' is not taken here"
		}
	}
	return ""
}
