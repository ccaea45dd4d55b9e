package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/gpu/tuner"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// tune searches for faster code of a kernel with a launch description.
func tune(args []string) error {
	var s settings
	f := s.flags("tune")
	desc := f.String("desc", "", "PTX file with the launch description")
	launches := f.String("launches", "", "file with the description instead")
	cost := f.String("cost", "", "command that tells what a cubin costs without a GPU, such as gosass run -cost; none: the timed simulator with these launches")
	n := f.Int("n", 60, "candidates")
	seconds := f.Float64("seconds", 0, "time for candidates; 0: no limit")
	seed := f.Uint64("seed", 0, "what the choice of candidates begins from")
	rounds := f.Int("rounds", 5, "turns of the usual code and a candidate")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *launches == "" {
		*launches = *desc
	}
	list, err := launchesOf(*launches)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(*desc)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "gpurun")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	p, err := s.pool()
	if err != nil {
		return err
	}
	session := p.Session()
	defer session.Close()
	begun := time.Now()
	t := &tuner.Tuner{Launches: list, Rounds: *rounds, Repeat: max(1, s.repeat), Jobs: s.jobs, Beside: isSet(f, "ref")}
	t.Ended = func() bool { return *seconds > 0 && time.Since(begun).Seconds() > *seconds }
	t.Build = func(how string, n int) (string, error) {
		command, out := s.ours, filepath.Join(tmp, fmt.Sprintf("%d.cubin", n))
		if how == tuner.Reference {
			command, how = s.ref, ""
		}
		b := compile(command, append([]string{"-arch=" + archOf(string(text))}, tuner.Options(how)...), *desc, out)
		if b.Err != "" {
			return "", errors.New(b.Err)
		}
		return out, nil
	}
	t.Measure = func(list []*gpu.Request) []*gpu.Result { return tuner.RunAll(session, list) }
	t.Cycles = func(cubin string) uint64 { return costWithout(*cost, cubin, list) }
	all, err := t.Run(*n, *seed)
	if err != nil {
		return err
	}
	tuner.Show(os.Stdout, all)
	return writeJSON(s.out, all)
}

// isSet reports whether a flag was given.
func isSet(f *flag.FlagSet, name string) (set bool) {
	f.Visit(func(x *flag.Flag) { set = set || x.Name == name })
	return set
}

// launchesOf reads the launches that a file describes.
func launchesOf(name string) ([]launch.Launch, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	list, err := launch.Parse(string(text))
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s has no launch description", name)
	}
	return list, err
}

// costWithout is what a command tells of a cubin, or the timed simulator; 0 if that is nothing.
func costWithout(command, cubin string, list []launch.Launch) (sum uint64) {
	if command != "" {
		words := append(strings.Fields(command), cubin)
		out, err := exec.Command(words[0], words[1:]...).Output()
		if _, err2 := fmt.Sscan(string(out), &sum); err != nil || err2 != nil {
			return 0
		}
		return sum
	}
	for k := range list {
		r, _ := simulateOne(cubin, &list[k], true, sim.Async{})
		if !r.OK() {
			return 0
		}
		sum += r.Cycles
	}
	return sum
}
