package driver

import "github.com/goptxas/goptxas/internal/pipeline"

// Watcher sees a compilation from inside: every kernel after each of its
// phases. The pipeline calls it from many goroutines at once.
type Watcher = pipeline.Watcher
