module goptxas

go 1.26

require github.com/rogpeppe/go-internal v1.16.0

require (
	github.com/google/go-cmp v0.7.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
