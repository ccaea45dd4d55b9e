package browser

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestSite reads the documents as a site and searches in them.
func TestSite(t *testing.T) {
	find(t)
	dir := t.TempDir()
	cmd := exec.Command("go", "run", "./cmd/docsite", dir)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(s.Close)
	b := open(t, 1280, 800)
	b.do(t, chromedp.Navigate(s.URL+"/view.html"), chromedp.WaitReady("#ask"))
	if n := b.number(t, `[...document.images].filter(i=>i.naturalWidth>100).length`); n < 3 {
		t.Errorf("%d pictures are shown", n)
	}
	b.do(t, chromedp.SendKeys("#ask", "jobserver"))
	if n := b.number(t, `document.querySelectorAll("#hits a").length`); n < 2 {
		t.Errorf("%d places have the word", n)
	}
	b.do(t, chromedp.Evaluate(`document.querySelector("#hits a").click()`, nil))
	b.until(t, `location.hash.length>1&&!location.href.includes("view.html")`)
	if !strings.Contains(strings.ToLower(b.text(t, `document.querySelector("main").textContent`)), "jobserver") {
		t.Error("the first hit leads elsewhere")
	}
	b.quiet(t)
}
