package cli_test

import (
	"path/filepath"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"kayra/tlsfiles/tlstest"
)

// authorities are those that scripts have made, by the path of their file.
type authorities struct{ byPath sync.Map }

// make makes an authority and writes it to NAME.pem: ca NAME.
func (a *authorities) make(ts *testscript.TestScript, _ bool, args []string) {
	made := tlstest.New(ts, args[0])
	a.byPath.Store(tlstest.Write(ts, ts.MkAbs("."), args[0]+".pem", made.PEM()), made)
}

// issue writes a certificate to NAME.crt and NAME.key, over what is there: issue CA NAME [HOST|expired].
func (a *authorities) issue(ts *testscript.TestScript, _ bool, args []string) {
	found, ok := a.byPath.Load(filepath.Join(ts.MkAbs("."), args[0]+".pem"))
	if !ok {
		ts.Fatalf("there is no authority %q", args[0])
	}
	leaf := tlstest.Leaf{Name: args[1]}
	switch {
	case len(args) > 2 && args[2] == "expired":
		leaf.Until = time.Now().Add(-time.Minute)
	case len(args) > 2:
		leaf.Host = args[2]
	}
	found.(*tlstest.Authority).Issue(leaf).Write(ts, ts.MkAbs("."), args[1])
}
