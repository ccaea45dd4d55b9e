// Package browser drives the pages that goptxas makes in a real browser. It
// is a module of its own, so that the product needs nothing of it. Where no
// Chromium is installed the tests say so and skip.
package browser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// root is the repository.
const root = "../.."

// find returns the browser, or skips the test.
func find(t *testing.T) string {
	for _, name := range []string{os.Getenv("GOPTXAS_BROWSER"), "chromium", "chromium-browser", "google-chrome"} {
		if name == "" {
			continue
		}
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium: apt-get install chromium")
	return ""
}

// tab is an open page and what went wrong in it.
type tab struct {
	context.Context
	mu     sync.Mutex
	faults []string
}

// open starts the browser with one tab.
func open(t *testing.T, wide, high int) *tab {
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(find(t)), chromedp.NoSandbox, chromedp.WindowSize(wide, high))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, end := chromedp.NewContext(alloc)
	ctx, late := context.WithTimeout(ctx, 120*time.Second)
	t.Cleanup(func() { late(); end(); stop() })
	b := &tab{Context: ctx}
	chromedp.ListenTarget(ctx, func(ev any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := ev.(type) {
		case *runtime.EventExceptionThrown:
			b.faults = append(b.faults, e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError {
				b.faults = append(b.faults, e.Entry.Text+" "+e.Entry.URL)
			}
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.APITypeError {
				b.faults = append(b.faults, "console.error")
			}
		}
	})
	return b
}

// do runs actions and fails the test where one cannot be done.
func (b *tab) do(t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(b, actions...); err != nil {
		t.Fatal(err)
	}
}

// number evaluates an expression.
func (b *tab) number(t *testing.T, expr string) (n int) {
	t.Helper()
	b.do(t, chromedp.Evaluate(expr, &n))
	return n
}

func (b *tab) text(t *testing.T, expr string) (s string) {
	t.Helper()
	b.do(t, chromedp.Evaluate(expr, &s))
	return s
}

func (b *tab) quiet(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.faults) > 0 {
		t.Errorf("the page complains: %s", strings.Join(b.faults, "\n"))
	}
}

// gosass builds the command and runs it.
func gosass(t *testing.T, args ...string) {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "gosass")
	build := exec.Command("go", "build", "-o", exe, "./cmd/gosass")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(exe, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("gosass %v: %v: %s", args, err, out)
	}
}
