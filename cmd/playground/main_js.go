package main

import (
	"encoding/json"
	"syscall/js"
)

// main hands the functions of the playground to the page: each takes a JSON
// text and returns one; compile has the cubin beside it.
func main() {
	api := js.Global().Get("Object").New()
	api.Set("compile", function(func(in []byte) (any, []byte, error) {
		var q struct {
			Text, Arch string
			Options    []string
		}
		if err := json.Unmarshal(in, &q); err != nil {
			return nil, nil, err
		}
		c := compile(q.Text, q.Arch, q.Options)
		return c, c.Cubin, nil
	}))
	api.Set("view", function(func(in []byte) (any, []byte, error) {
		var q struct{ Text, Arch string }
		if err := json.Unmarshal(in, &q); err != nil {
			return nil, nil, err
		}
		html, err := page(q.Text, q.Arch)
		return string(html), nil, err
	}))
	api.Set("run", function(func(in []byte) (any, []byte, error) {
		var q struct {
			Cubin  []byte // base64
			Launch Launch
			Values map[int]string
		}
		if err := json.Unmarshal(in, &q); err != nil {
			return nil, nil, err
		}
		r, err := run(q.Cubin, q.Launch, q.Values)
		return r, nil, err
	}))
	js.Global().Set("goptxas", api)
	if ready := js.Global().Get("goptxasReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	select {}
}

// function makes a function of JavaScript that returns a promise of
// {json, bytes}, and fails with the text of an error.
func function(f func(in []byte) (any, []byte, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		in := []byte(args[0].String())
		var todo js.Func
		todo = js.FuncOf(func(_ js.Value, ends []js.Value) any {
			resolve, reject := ends[0], ends[1]
			go func() {
				defer todo.Release()
				out, bytes, err := f(in)
				if err != nil {
					reject.Invoke(err.Error())
					return
				}
				text, err := json.Marshal(out)
				if err != nil {
					reject.Invoke(err.Error())
					return
				}
				r := js.Global().Get("Object").New()
				r.Set("json", string(text))
				if bytes != nil {
					b := js.Global().Get("Uint8Array").New(len(bytes))
					js.CopyBytesToJS(b, bytes)
					r.Set("bytes", b)
				}
				resolve.Invoke(r)
			}()
			return nil
		})
		return js.Global().Get("Promise").New(todo)
	})
}
