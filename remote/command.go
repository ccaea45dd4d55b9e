package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/goptxas/goptxas/internal/driver"
	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/store"
)

// Settings are the options of the command that begin with --remote.
type Settings struct {
	Options
	Execute  bool   // compile large modules by actions
	Fail     bool   // end with an error where the servers fail, rather than work here
	Verbose  bool   // tell what was done
	Least    int    // bytes of kernels in an action
	Groups   int    // actions at most
	Platform string // name=value,...
}

// Split takes the options that begin with --remote out of a command line.
// Variables of the environment stand for those that are not there.
func Split(args []string, env func(string) string) (s Settings, rest []string, err error) {
	text := map[string]string{"remote": env("GOPTXAS_REMOTE")}
	for _, a := range args {
		name, value, _ := strings.Cut(a, "=")
		if name != "--remote" && !strings.HasPrefix(name, "--remote-") {
			rest = append(rest, a)
			continue
		}
		if name = name[2:]; name == "remote-header" {
			s.Headers = append(s.Headers, value)
			continue
		}
		text[name] = value
	}
	for name, value := range text {
		switch name {
		case "remote":
			s.Address = value
		case "remote-instance":
			s.Instance = value
		case "remote-ca":
			s.CA = value
		case "remote-cert":
			s.Cert = value
		case "remote-key":
			s.Key = value
		case "remote-platform":
			s.Platform = value
		case "remote-execute":
			s.Execute = true
		case "remote-verbose":
			s.Verbose = true
		case "remote-fallback":
			if value != "local" && value != "fail" {
				err = errors.Join(err, fmt.Errorf("--remote-fallback is local or fail, not '%s'", value))
			}
			s.Fail = value == "fail"
		case "remote-timeout":
			var e error
			s.Timeout, e = time.ParseDuration(value)
			err = errors.Join(err, e)
		case "remote-least":
			var e error
			s.Least, e = strconv.Atoi(value)
			err = errors.Join(err, e)
		case "remote-groups":
			var e error
			s.Groups, e = strconv.Atoi(value)
			err = errors.Join(err, e)
		default:
			err = errors.Join(err, fmt.Errorf("unknown option '--%s'", name))
		}
	}
	return s, rest, err
}

// Main is driver.Main with the servers that the command line names.
func Main(ctx context.Context, w driver.Env, env func(string) string) int {
	s, rest, err := Split(w.Args, env)
	if err != nil {
		return say(w.Stderr, err)
	}
	w.Args = rest
	if s.Address == "" {
		return driver.Main(ctx, w)
	}
	c, err := Dial(ctx, s.Options)
	if err != nil {
		if s.Fail {
			return say(w.Stderr, err)
		}
		s.tell(w.Stderr, "compiling here: %v", err)
		return driver.Main(ctx, w)
	}
	defer c.Close()
	return c.main(ctx, w, &s)
}

// main compiles with kernels from the servers.
func (c *Client) main(ctx context.Context, w driver.Env, s *Settings) int {
	begun := time.Now()
	far := c.Kernels(ctx)
	w.Kernels = far
	var out Outcome
	if s.Execute {
		dir, err := os.MkdirTemp("", "goptxas-remote-*")
		if err != nil {
			return say(w.Stderr, err)
		}
		defer os.RemoveAll(dir)
		made, err := store.Open(dir, 1<<40)
		if err != nil {
			return say(w.Stderr, err)
		}
		out = c.compileLine(ctx, w.Args, s, made)
		w.Kernels = &first{made, far}
	}
	if s.Fail && len(out.Errs) > 0 {
		return say(w.Stderr, out.Errs[0])
	}
	code := driver.Main(ctx, w)
	errs := append(out.Errs, far.Wait()...)
	hits, misses, sent := far.Counts()
	s.tell(w.Stderr, "%d actions (%d failed, %d known) made %d kernels; %d kernels found, %d not, %d sent; %d errors; %.3f s",
		out.Actions, out.Failed, out.Cached, out.Kernels, hits, misses, sent, len(errs), time.Since(begun).Seconds())
	for n, err := range errs {
		if n < patience {
			s.tell(w.Stderr, "%v", err)
		}
	}
	if s.Fail && len(errs) > 0 && code == 0 {
		return say(w.Stderr, errs[0])
	}
	return code
}

// compileLine compiles the module of a command line by actions, where that is
// possible.
func (c *Client) compileLine(ctx context.Context, args []string, s *Settings, made *store.Dir) (out Outcome) {
	line, _, fault := cli.Parse(args)
	if fault != nil || len(line.Inputs) != 1 || line.Inputs[0] == "-" || line.Has(cli.InputAsString) {
		return out // the compiler says what there is to say
	}
	words, ok := driver.Portable(line)
	if !ok {
		return out
	}
	if !c.CanExecute() {
		out.Errs = append(out.Errs, errors.New("the server runs no actions"))
		return out
	}
	text, err := os.ReadFile(line.Inputs[0])
	if err != nil {
		return out
	}
	program, err := Self()
	if err != nil {
		out.Errs = append(out.Errs, err)
		return out
	}
	work := Work{Program: program, Args: words, Groups: s.Groups, Least: s.Least}
	if s.Platform != "" {
		work.Platform = strings.Split(s.Platform, ",")
	}
	return c.Compile(ctx, text, work, made)
}

// first looks in a folder, and then on the servers.
type first struct {
	made *store.Dir
	far  *Kernels
}

func (f *first) Get(k store.Key) ([]byte, bool) {
	if body, ok := f.made.Get(k); ok {
		return body, true
	}
	return f.far.Get(k)
}

func (f *first) Put(k store.Key, body []byte) { f.far.Put(k, body) }

func (s *Settings) tell(w io.Writer, format string, args ...any) {
	if s.Verbose {
		fmt.Fprintf(w, "goptxas-remote: "+format+"\n", args...)
	}
}

func say(w io.Writer, err error) int {
	fmt.Fprintf(w, "goptxas-remote: %v\n", err)
	return driver.Failed
}
