package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/goptxas/goptxas/internal/witness/gpu"
)

// known are results of the reference from an earlier run, by the text and
// the launch: a later run need only run ours.
type known struct{ results map[string][]*gpu.Result }

// readKnown reads the results of a file, which need not exist.
func readKnown(name string) (*known, error) {
	k := &known{results: map[string][]*gpu.Result{}}
	if name == "" {
		return k, nil
	}
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	} else if err != nil {
		return nil, err
	}
	err = json.Unmarshal(b, &k.results)
	for key, list := range k.results { // a hang may have been another kernel's
		if len(list) == 0 || list[len(list)-1].Err == "hang" {
			delete(k.results, key)
		}
	}
	return k, err
}

// fill gives rows of one text their keys and what is known about them.
func (k *known) fill(text string, rows []*row) {
	for _, r := range rows {
		b, err := json.Marshal(r.launch)
		if err != nil {
			continue
		}
		h := sha256.New()
		h.Write([]byte(text))
		h.Write(b)
		r.key = hex.EncodeToString(h.Sum(nil)[:12])
		r.known = k.results[r.key]
	}
}

// write adds the results of this run to what was known before.
func (k *known) write(name string, rows []*row) error {
	fresh := false
	for _, r := range rows {
		if r.key != "" && len(r.known) == 0 && len(r.refs) > 0 && r.refs[len(r.refs)-1].Stage != "start" {
			k.results[r.key], fresh = r.refs, true
		}
	}
	if name == "" || !fresh {
		return nil
	}
	return writeJSON(name, k.results)
}
