package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// kernels are the pages whose pictures the documents show.
var kernels = []struct{ name, file, desc, tab string }{
	{"saxpy", "examples/saxpy.ptx", "examples/saxpy.ptx", "Schedule"},
	{"matmul", "testdata/zoo/matmul_shared.ptx", "testdata/zoo/matmul_shared.ptx", "Registers"},
	{"sort", "testdata/zoo/sort_bitonic.ptx", "testdata/zoo/sort_bitonic.ptx", "Flow"},
}

// TestView clicks through the pages of three kernels.
func TestView(t *testing.T) {
	find(t)
	for _, k := range kernels {
		t.Run(k.name, func(t *testing.T) {
			page, err := filepath.Abs(filepath.Join(t.TempDir(), k.name+".html"))
			if err != nil {
				t.Fatal(err)
			}
			gosass(t, "view", "-arch", "sm_90a", "-o", page, "-desc", filepath.Join(root, k.desc), filepath.Join(root, k.file))
			b := open(t, 1280, 800)
			b.do(t, chromedp.Navigate("file://"+page), chromedp.WaitReady(`body[data-ready="1"]`))
			if n := b.number(t, `document.querySelectorAll("#sass .row").length`); n < 10 {
				t.Errorf("%d instructions are shown", n)
			}
			if n := b.number(t, `shown.length`); n < 5 {
				t.Errorf("%d phases changed something", n)
			}
			// An instruction lights up its source and what became of it.
			b.do(t, chromedp.Evaluate(`(()=>{const i=K.code.findIndex((c,i)=>/STG|ST\./.test(c.t)&&K.lines[i]);lists.sass.show(i);lists.sass.live.get(i).click()})()`, nil))
			if src, ir := b.number(t, `document.querySelectorAll("#ptx .row.sel").length`), b.number(t, `document.querySelectorAll("#ir .row.same").length`); src != 1 || ir < 1 {
				t.Errorf("%d lines of the text and %d of the phase light up", src, ir)
			}
			if line := b.text(t, `document.querySelector("#ptx .row.sel").textContent`); !strings.Contains(line, "st.") {
				t.Errorf("a store comes from %q", line)
			}
			// A register lights up wherever it is named.
			b.do(t, chromedp.Evaluate(`[...document.querySelectorAll("#sass .v.reg")].find(e=>/^R\d/.test(e.textContent)).click()`, nil))
			if n := b.number(t, `document.querySelectorAll("#sass .v.on").length`); n < 2 {
				t.Errorf("a register lights up %d times", n)
			}
			// Search.
			b.do(t, chromedp.SendKeys("#find", "exit"))
			if got := b.text(t, `document.querySelector("#count").textContent`); !strings.HasSuffix(got, " found") || got == "0 found" {
				t.Errorf("searching says %q", got)
			}
			b.do(t, chromedp.Evaluate(`document.querySelector("#find").value="";search("")`, nil))
			// Phases, tabs and the calculator.
			b.do(t, chromedp.Click("#prev"))
			if got := b.text(t, `document.querySelector("#delta").textContent`); !strings.HasPrefix(got, "+") && got != "another order" {
				t.Errorf("differences %q", got)
			}
			for _, tab := range []string{"Flow", "Registers", "Schedule", "Kernels", "Mix", "Hot", "Occupancy"} {
				b.do(t, chromedp.Click("#tab-"+tab))
				if n := b.number(t, `document.querySelector("#panel").childNodes.length`); n == 0 {
					t.Errorf("%s is empty", tab)
				}
			}
			b.do(t, chromedp.Evaluate(`(()=>{const i=document.querySelector("#occ-registers");i.value=255;i.oninput()})()`, nil))
			if got := b.text(t, `document.querySelector("#occ-out").textContent`); !strings.HasPrefix(got, "8 of 64 warps") {
				t.Errorf("255 registers: %q", got)
			}
			if n := b.number(t, `K.hot?K.hot.reduce((a,b)=>a+b,0):0`); n < 10 {
				t.Errorf("%d instructions were issued in the simulator", n)
			}
			b.do(t, chromedp.Click("#tab-"+k.tab))
			b.quiet(t)
			if os.Getenv("GOPTXAS_UPDATE") != "" {
				b.do(t, chromedp.Evaluate(`follow("")`, nil))
				var png []byte
				b.do(t, chromedp.CaptureScreenshot(&png))
				if err := os.WriteFile(filepath.Join(root, "docs", "view-"+k.name+".png"), png, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestViewLarge opens a kernel of ten thousand instructions: few rows exist at
// a time, and scrolling to the end is quick.
func TestViewLarge(t *testing.T) {
	find(t)
	var s strings.Builder
	s.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry big(.param .u64 p)\n{\n.reg .b64 %a;\n.reg .f32 %f<4>;\nld.param.u64 %a, [p];\n")
	for i := range 3500 {
		fmt.Fprintf(&s, "ld.volatile.global.f32 %%f1, [%%a+%d];\nfma.rn.f32 %%f2, %%f1, %%f1, %%f2;\nst.volatile.global.f32 [%%a+%d], %%f2;\n", 4*i, 4*i)
	}
	s.WriteString("ret;\n}\n")
	dir := t.TempDir()
	name, page := filepath.Join(dir, "big.ptx"), filepath.Join(dir, "big.html")
	if err := os.WriteFile(name, []byte(s.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	gosass(t, "view", "-arch", "sm_90a", "-o", page, name)
	b := open(t, 1500, 950)
	b.do(t, chromedp.Navigate("file://"+page), chromedp.WaitReady(`body[data-ready="1"]`))
	if n := b.number(t, `K.code.length`); n < 10000 {
		t.Fatalf("%d instructions", n)
	}
	begun := time.Now()
	b.do(t, chromedp.Evaluate(`lists.sass.show(K.code.length-1)`, nil))
	if n := b.number(t, `document.querySelectorAll("#sass .row").length`); n > 200 || n < 5 {
		t.Errorf("%d rows exist", n)
	}
	took := time.Since(begun)
	t.Logf("to the end of %d instructions in %v", b.number(t, `K.code.length`), took)
	if took > 2*time.Second {
		t.Errorf("scrolling took %v", took)
	}
	b.quiet(t)
}

// TestViewIndex opens a module of several kernels: a table lists them, sorts
// by a column and leads to one.
func TestViewIndex(t *testing.T) {
	find(t)
	var s strings.Builder
	s.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n")
	for i := range 30 {
		fmt.Fprintf(&s, ".visible .entry k%02d(.param .u64 p)\n{\n.reg .b64 %%a;\n.reg .u32 %%r<3>;\nld.param.u64 %%a, [p];\n", i)
		for k := range i + 1 {
			fmt.Fprintf(&s, "ld.volatile.global.u32 %%r1, [%%a+%d];\n", 4*k)
		}
		s.WriteString("st.global.u32 [%a], %r1;\nret;\n}\n")
	}
	dir := t.TempDir()
	name, page := filepath.Join(dir, "many.ptx"), filepath.Join(dir, "many.html")
	if err := os.WriteFile(name, []byte(s.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	gosass(t, "view", "-arch", "sm_90a", "-o", page, name)
	b := open(t, 1280, 800)
	b.do(t, chromedp.Navigate("file://"+page), chromedp.WaitReady(`body[data-ready="1"]`))
	if n := b.number(t, `document.querySelectorAll("#panel .entry").length`); n != 30 {
		t.Errorf("%d kernels in the index", n)
	}
	if first, last := b.number(t, `+document.querySelector("#panel .entry").cells[1].textContent`), b.number(t, `+[...document.querySelectorAll("#panel .entry")].at(-1).cells[1].textContent`); first <= last {
		t.Errorf("the index begins with %d instructions and ends with %d", first, last)
	}
	b.do(t, chromedp.Evaluate(`document.querySelectorAll("#panel th")[0].click()`, nil))
	b.do(t, chromedp.Evaluate(`document.querySelectorAll("#panel .entry")[7].click()`, nil))
	if got := b.text(t, `K.name`); got != "k07" {
		t.Errorf("a click on the eighth name opens %s", got)
	}
	b.quiet(t)
}
