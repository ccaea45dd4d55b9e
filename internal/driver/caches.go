package driver

import (
	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/lower/build"
)

// caches are the cache operators of the command line; a forced one wins over
// a default.
func caches(s *cli.Settings) build.Caches {
	c := build.Caches{Load: s.DefLoad, Store: s.DefStore}
	if s.ForceLoad != "" {
		c.Load, c.ForceLoad = s.ForceLoad, true
	}
	if s.ForceStore != "" {
		c.Store, c.ForceStore = s.ForceStore, true
	}
	return c
}
