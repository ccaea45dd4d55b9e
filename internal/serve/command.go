package serve

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Command runs "goptxas serve" and returns the exit code.
func Command(ctx context.Context, args []string, stderr io.Writer) int {
	f := flag.NewFlagSet("goptxas serve", flag.ContinueOnError)
	f.SetOutput(stderr)
	address := f.String("listen", "", "unix:path, or address:port with an IPv4 address")
	tokenFile := f.String("token-file", "", "file with the token that clients must show; else the variable "+TokenVariable)
	jobs := f.Int("jobs", runtime.NumCPU(), "compilations at once")
	queue := f.Int("queue", 64, "compilations that may wait")
	size := f.Int64("max-size", 64, "megabytes of one order")
	memory := f.Int64("memory", 4096, "megabytes for all compilations at once")
	limit := f.Duration("timeout", 5*time.Minute, "time for one compilation")
	if err := f.Parse(args); err != nil {
		return 2
	}
	if *address == "" {
		fmt.Fprintln(stderr, "goptxas serve: -listen is missing: unix:path, or address:port; goptxas serve -h lists the options")
		return 2
	}
	token, err := readToken(*tokenFile)
	var at place
	if err == nil {
		at, err = split(*address)
	}
	switch {
	case err != nil:
	case at.path == "" && token == "":
		err = fmt.Errorf("a port needs a token: -token-file or %s", TokenVariable)
	case *jobs < 1 || *queue < 0 || *size < 1 || *memory < 16 || *limit <= 0 || f.NArg() > 0:
		err = fmt.Errorf("limits must be positive, and no words may stand behind the options")
	}
	if err == nil {
		debug.SetMemoryLimit(*memory << 20)
		s := New(token, Limits{Body: *size << 20, Time: *limit, Memory: *memory << 20, Jobs: *jobs, Queue: *queue})
		err = s.open(ctx, at, stderr)
	}
	if err != nil {
		fmt.Fprintf(stderr, "goptxas serve: %v\n", err)
		return 1
	}
	return 0
}

// readToken returns the token of a file, or that of the environment.
func readToken(file string) (string, error) {
	if file == "" {
		return os.Getenv(TokenVariable), nil
	}
	data, err := os.ReadFile(file)
	token := strings.TrimSpace(string(data))
	if err == nil && token == "" {
		err = fmt.Errorf("%s is empty", file)
	}
	return token, err
}

// open opens the place and serves. A socket that nobody answers at is
// replaced; only its owner may use a new one.
func (s *Server) open(ctx context.Context, at place, stderr io.Writer) error {
	if at.path != "" {
		if c, err := dial(at, dialTime); err == nil {
			c.Close()
			return fmt.Errorf("a server is listening at %s", at)
		} else if st, err := os.Lstat(at.path); err == nil && st.Mode()&os.ModeSocket != 0 {
			if err := os.Remove(at.path); err != nil {
				return err
			}
		}
	}
	l, err := listen(at)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	if at.path != "" {
		if err := os.Chmod(at.path, 0o600); err != nil {
			return errors.Join(err, l.close())
		}
	}
	fmt.Fprintf(stderr, "goptxas serve: listening at %s\n", l.at)
	return s.serve(ctx, l)
}
