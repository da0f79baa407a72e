package store_test

import (
	"errors"
	"testing"

	"kayra/store"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	many := make([]store.Op, store.MaxOps+1)
	for i := range many {
		many[i] = store.Get("key")
	}
	for name, c := range map[string]struct {
		txn      store.Txn
		ok       bool
		tooLarge bool
	}{
		"empty":            {txn: store.Txn{}, ok: true},
		"most":             {txn: store.Txn{Then: many[1:], Else: many[1:]}, ok: true},
		"more":             {txn: store.Txn{Then: many}, tooLarge: true},
		"more else":        {txn: store.Txn{Else: many}, tooLarge: true},
		"more conditions":  {txn: store.Txn{If: make([]store.Cond, store.MaxOps+1)}, tooLarge: true},
		"both branches":    {txn: store.Txn{Then: []store.Op{store.Put("a", nil)}, Else: []store.Op{store.Delete("a")}}, ok: true},
		"put twice":        {txn: store.Txn{Then: []store.Op{store.Put("a", nil), store.Put("a", nil)}}},
		"put and delete":   {txn: store.Txn{Else: []store.Op{store.Put("a", nil), store.Delete("a")}}},
		"put and get":      {txn: store.Txn{Then: []store.Op{store.Put("a", nil), store.Get("a"), store.Get("a")}}, ok: true},
		"no kind of check": {txn: store.Txn{If: []store.Cond{{Key: "a"}}}},
		"no kind of op":    {txn: store.Txn{Then: []store.Op{{Key: "a"}}}},
	} {
		err := c.txn.Check()
		if (err == nil) != c.ok || errors.Is(err, store.ErrTooLarge) != c.tooLarge {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}
