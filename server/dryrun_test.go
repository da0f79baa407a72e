package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/store"
)

// entries of the store, with their revisions.
func (l *lab) everything() []store.Entry {
	l.t.Helper()
	all, err := l.store.List(l.t.Context(), "", store.ListOptions{})
	l.must(err)
	return all.Entries
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		t := l.t
		l.world("sre")
		before := l.everything()
		at := regs + "/" + compute
		created := l.want(http.StatusOK, "POST", regs+"?dry_run=true", `{"name":"b.example.com","sync_id":"one","operator":{"workers":2}}`)
		for _, header := range []string{"ETag", "Location"} {
			if got := created.header.Get(header); got != "" {
				t.Errorf("%s of what is not there: %q", header, got)
			}
		}
		minted := l.want(http.StatusOK, "POST", regs+"?dry_run=true", `{"name":"b.example.com"}`)
		if id, _ := minted.body["sync_id"].(string); id == "" {
			t.Errorf("no sync_id: %s", minted.raw)
		}
		put := l.want(http.StatusOK, "PUT", at+"?dry_run=true", `{"owner":"me","operator":{"workers":2}}`)
		patch := l.want(http.StatusOK, "PATCH", at+"?dry_run=true", `{"owner":"me","operator":{"workers":2}}`)
		if string(put.raw) != string(patch.raw) || put.header.Get("ETag") != "" {
			t.Errorf("put %v %s, patch %s", put.header, put.raw, patch.raw)
		}
		for _, r := range []badRequest{
			{"wrong", "POST", regs + "?dry_run=true", `{"name":"b"}`, 400, "", "/name"},
			{"taken", "POST", regs + "?dry_run=true", `{"name":"` + compute + `"}`, 409, "exists", ""},
			{"Kayra's own", "POST", regs + "?dry_run=true", `{"name":"catalog.example.com"}`, 409, "Kayra", ""},
			{"short name taken", "POST", regs + "?dry_run=true", `{"name":"b.example.com","short_name":"compute"}`, 409, compute, ""},
			{"no such dependency", "PUT", at + "?dry_run=true", `{"depends_on":[{"name":"no.example.com"}]}`, 404, "no.example.com", ""},
			{"cycle", "PATCH", at + "?dry_run=true", `{"depends_on":[{"name":"` + compute + `"}]}`, 409, "cycle", ""},
			{"unknown", "PUT", regs + "/no.example.com?dry_run=true", `{}`, 404, "", ""},
			{"operator", "PUT", at + "?dry_run=true", `{"operator":{"workers":-1}}`, 400, "", "/operator/workers"},
		} {
			l.refuses(r)
		}
		l.want(http.StatusPreconditionFailed, "PUT", at+"?dry_run=true", `{}`, "If-Match", `"x"`)
		l.want(http.StatusOK, "PUT", at+"?dry_run=true", `{}`, "If-Match", l.want(http.StatusOK, "GET", at, nil).header.Get("ETag"))
		l.want(http.StatusForbidden, "PUT", at+"?dry_run=true", `{}`, "Authorization", "Bearer "+annToken)
		if d := cmp.Diff(before, l.everything()); d != "" {
			t.Errorf("a dry run was written: %s", d)
		}

		done := l.want(http.StatusOK, "PUT", at+"?dry_run=false", `{"owner":"me","operator":{"workers":2}}`)
		if string(done.raw) != string(put.raw) || done.header.Get("ETag") == "" {
			t.Errorf("done %s, planned %s", done.raw, put.raw)
		}
		really := l.want(http.StatusCreated, "POST", regs, `{"name":"b.example.com","sync_id":"one","operator":{"workers":2}}`)
		if string(really.raw) != string(created.raw) {
			t.Errorf("created %s, planned %s", really.raw, created.raw)
		}
	})
}

// The audit tells a dry run from a write, and what was refused from both.
func TestAuditOfDryRuns(t *testing.T) {
	t.Parallel()
	j := &journal{}
	l := newLab(t, openLocal(t), auditTo(j))
	l.want(http.StatusOK, "POST", regs+"?dry_run=true", `{"name":"b.example.com"}`)
	l.want(http.StatusConflict, "POST", regs+"?dry_run=true", `{"name":"catalog.example.com"}`)
	l.want(http.StatusBadRequest, "POST", regs+"?dry_run=TRUE", `{"name":"b.example.com"}`)
	l.want(http.StatusCreated, "POST", regs+"?dry_run=false", `{"name":"b.example.com"}`)
	var got []string
	for _, e := range l.entries(j) {
		got = append(got, text(e, "result"))
		if _, told := e["after"]; told != (e["result"] == "done") {
			t.Errorf("%v", e)
		}
	}
	if d := cmp.Diff([]string{"dry_run", "refused", "refused", "done"}, got); d != "" {
		t.Error(d)
	}
}

// Where the store is away, a dry run says no more than that: it cannot have written anything.
func TestDryRunOfAStoreThatIsAway(t *testing.T) {
	t.Parallel()
	l := newLab(t, trouble{openLocal(t), false})
	for query, unknown := range map[string]bool{"?dry_run=true": false, "": true} {
		a := l.want(http.StatusServiceUnavailable, "POST", regs+query, `{"name":"b.example.com"}`)
		if strings.Contains(string(a.raw), "whether a write has happened") != unknown {
			t.Errorf("%q: %s", query, a.raw)
		}
	}
}
