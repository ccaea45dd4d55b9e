package driver

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// asCommand makes this test binary behave as the compiler.
const asCommand = "GOPTXAS_TEST_AS_COMMAND"

func command() {
	os.Exit(Main(context.Background(), Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}))
}

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		command()
	}
	testscript.Main(m, map[string]func(){"goptxas": command})
}

// runSelf runs the compiler in dir as a process of its own.
func runSelf(t *testing.T, dir string, args ...string) oracle.Result {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return oracle.RunCmd(cmd)
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: filepath.Join("testdata", "script")})
}
