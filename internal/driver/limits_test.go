package driver

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/pipeline"
)

// TestLimitLevels asks for the phases of kernels with much, little and no
// time left.
func TestLimitLevels(t *testing.T) {
	for _, c := range []struct {
		limit, passed time.Duration
		want          pipeline.Fast
	}{
		{time.Hour, 0, pipeline.FastOff},
		{time.Hour, time.Hour - 14*time.Millisecond, pipeline.FastMin},
		{time.Hour, time.Hour - time.Millisecond, pipeline.FastMax},
		{time.Second, time.Minute, pipeline.FastMax},
	} {
		l := &limits{time: c.limit, begun: time.Now().Add(-c.passed)}
		l.Begin(&pipeline.Output{Funcs: []int32{0, 1}}, []int64{5000, 5000})
		l.done[0], l.spent[0] = 1000, 2*time.Millisecond // 2 µs a byte
		if got := l.Level(pipeline.FastOff, 5000); got != c.want {
			t.Errorf("%v of %v passed: level %d, want %d", c.passed, c.limit, got, c.want)
		}
	}
	l := &limits{bytes: 10, heap: func() int64 { return 11 }}
	if got := l.Level(pipeline.FastOff, 1); got != pipeline.FastMax || !l.Short() {
		t.Errorf("without memory: level %d", got)
	}
	l.heap = func() int64 { return 9 }
	if got := l.Level(pipeline.FastOff, 1); got != pipeline.FastOff || l.Short() {
		t.Errorf("with memory: level %d", got)
	}
}

// TestLimitOptions compiles with limits that nothing fits and that all fits:
// the first says what it gave up, the second nothing; wrong numbers end it.
func TestLimitOptions(t *testing.T) {
	in := keepText(t, "in.ptx", sizes(5))
	for _, c := range []struct {
		option, want string
		code         int
	}{
		{"--time-limit=0.000001", "Time limit: cheaper phases were used for 5 of 5 functions, first 'k0'; their code may be slower", 0},
		{"--memory-limit=1", "Memory limit: cheaper phases were used for 5 of 5 functions", 0},
		{"--time-limit=600", "", 0},
		{"--memory-limit=60000", "", 0},
		{"--time-limit=soon", "Value 'soon' of option 'time-limit' is no number of seconds", Failed},
		{"--memory-limit=-1", "Value '-1' of option 'memory-limit' is no number of megabytes", Failed},
	} {
		var log bytes.Buffer
		code := Main(context.Background(), Env{Args: []string{"-arch=sm_90", c.option, "-o", filepath.Join(t.TempDir(), "out"), in}, Stdout: &log, Stderr: &log})
		if code != c.code || !strings.Contains(log.String(), c.want) || c.want == "" && log.Len() > 0 {
			t.Errorf("%s: exit %d, %q", c.option, code, log.String())
		}
	}
}
