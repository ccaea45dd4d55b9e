package browser

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// site builds the playground once and serves it.
func site(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "run", "./cmd/playground", "build", dir)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(s.Close)
	return s.URL + "/"
}

// until waits for an expression to be true.
func (b *tab) until(t *testing.T, expr string) {
	t.Helper()
	for end := time.Now().Add(90 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		var ok bool
		b.do(t, chromedp.Evaluate("!!("+expr+")", &ok))
		if ok {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("never true: %s", expr)
		}
	}
}

// TestPlayground compiles, makes a mistake, runs, looks inside and follows a
// link, in the browser alone.
func TestPlayground(t *testing.T) {
	find(t)
	url := site(t)
	b := open(t, 1400, 900)
	begun := time.Now()
	b.do(t, chromedp.Navigate(url))
	b.until(t, `document.querySelector("#sass").textContent.includes("FFMA")`)
	t.Logf("first code after %v", time.Since(begun))
	// Colours.
	if n := b.number(t, `document.querySelectorAll("#shade .r").length`); n < 20 {
		t.Errorf("%d registers have a colour", n)
	}
	// Another GPU gives other code.
	b.do(t, chromedp.Evaluate(`(()=>{const s=document.querySelector("#arch");s.value="sm_75";s.onchange()})()`, nil))
	b.until(t, `document.querySelector("#sass").textContent.includes("SM75")||/sm_75/.test(document.querySelector("#report").textContent)`)
	// The view.
	b.do(t, chromedp.Click(`button[data-tab="view"]`))
	b.until(t, `document.querySelector("#view").contentDocument?.body?.dataset.ready==="1"`)
	// The simulator, with numbers of ours: y = 2x + y.
	b.do(t, chromedp.Click(`button[data-tab="run"]`))
	b.do(t, chromedp.Evaluate(`(()=>{const r=document.querySelector("#args").tBodies[0].rows;r[0].cells[2].querySelector("input").value="1 2 3";r[1].cells[2].querySelector("input").value="10 20 30"})()`, nil))
	b.do(t, chromedp.Click("#go"))
	b.until(t, `document.body.dataset.ran==="1"`)
	if got := b.text(t, `document.querySelector('.values[data-arg="0"]').textContent`); !strings.HasPrefix(got, "21 42 63 ") {
		t.Errorf("2x+y is %.40q", got)
	}
	if os.Getenv("GOPTXAS_UPDATE") != "" {
		var png []byte
		b.do(t, chromedp.CaptureScreenshot(&png))
		if err := os.WriteFile(filepath.Join(root, "docs", "playground.png"), png, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// A mistake is marked, and told under the cursor.
	b.do(t, chromedp.Click(`button[data-tab="sass"]`))
	b.do(t, chromedp.Evaluate(`(()=>{const e=document.querySelector("#text");e.value=e.value.replace("fma.rn.f32","fam.rn.f32");e.dispatchEvent(new Event("input"))})()`, nil))
	b.until(t, `document.querySelector("#shade .bad")`)
	b.do(t, chromedp.Evaluate(`document.querySelector("#messages li").click()`, nil))
	if got := b.text(t, `document.querySelector("#here").textContent`); !strings.Contains(got, "fam") || !strings.Contains(got, "fma") {
		t.Errorf("under the cursor: %q", got)
	}
	if got := b.text(t, `document.querySelector("#shade .bad").textContent`); !strings.HasPrefix(got, "fam") {
		t.Errorf("marked: %q", got)
	}
	// A link holds the text and the GPU.
	b.do(t, chromedp.Evaluate(`permalink()`, nil, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	link := b.text(t, `location.href`)
	b.do(t, chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	b.until(t, `document.querySelector("#messages li")`)
	if got := b.text(t, `document.querySelector("#arch").value`); got != "sm_75" {
		t.Errorf("the link leads to %s", got)
	}
	if !strings.Contains(b.text(t, `document.querySelector("#text").value`), "fam.rn.f32") {
		t.Error("the link lost the text")
	}
	b.quiet(t)
}
