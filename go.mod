module github.com/goptxas/goptxas

go 1.26

require (
	github.com/ebitengine/purego v0.11.0
	github.com/google/go-cmp v0.6.0
	github.com/rogpeppe/go-internal v1.16.0
	pgregory.net/rapid v1.3.0
)

require (
	golang.org/x/sys v0.26.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)
