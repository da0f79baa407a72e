package reconciler_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kayra/reconciler"
	"kayra/reconciler/katalog"
	"kayra/reconciler/pipeline"
	"kayra/store/catalog"
)

// Those that wait tell their place in the queue, one that runs its step, and the workers what they do.
func TestQueueAndRunAreTold(t *testing.T) {
	t.Parallel()
	onFleets(t, []fleet{{"local", 1}, {"etcd", 1}}, func(w *world) {
		w.operated(catalog.Operator{Workers: new(1)})
		w.asked()
		p := w.startOne()
		calls := w.hold(every)
		names := []string{"apps", "ops", "sre", "web"}
		w.register(compute, names...)
		run := w.next(calls)
		w.eventually("three wait", func() bool { return p.Waiting(compute) == 3 })

		w.eventually("the watch has shown the run", func() bool { return p.detail(t, run.namespace).ReadyReason == "running" })
		d := p.detail(t, run.namespace)
		step := d.Children["step"]
		if d.ReadyReason != "running" || !strings.Contains(d.ReadyMessage, "is running: step 1 of 1 since ") {
			t.Errorf("the one that runs: %+v", d)
		}
		if len(step) != 1 || step[0].Status.State != "running" || step[0].Ready || step[0].Name != "step-1" || len(d.Children["run"]) != 1 || d.Children["run"][0].Ready {
			t.Errorf("its step: %+v", d.Children)
		}
		var places []string
		for _, ns := range names {
			if ns == run.namespace {
				continue
			}
			d := p.detail(t, ns)
			if d.ReadyReason != "queued" || !strings.Contains(d.ReadyMessage, "of 3 jobs of this API that wait in this reconciler, and 1 run") {
				t.Errorf("%s: %s: %s", ns, d.ReadyReason, d.ReadyMessage)
			}
			place, _, _ := strings.Cut(d.ReadyMessage, " of 3")
			places = append(places, place)
		}
		slices.Sort(places)
		if len(slices.Compact(places)) != 3 {
			t.Errorf("places in the queue: %q", places)
		}
		list := answer[katalog.CRListResponse](t, p, "/"+compute+"/cr", http.StatusOK)
		reasons := map[string]int{}
		for i, row := range list.Items {
			reasons[row.ReadyReason]++
			if row.Namespace != names[i] {
				t.Errorf("row %d is %s", i, row.Namespace)
			}
		}
		if list.Total != 4 || reasons["queued"] != 3 || reasons["running"] != 1 {
			t.Errorf("the list: %+v", list)
		}
		info := answer[katalog.CRDInfoResponse](t, p, "/"+compute, http.StatusOK)
		if info.Workers != 1 || info.WorkersProcessing != 1 || info.WorkersIdle != 0 || info.WorkerDetails["worker-0"] != "processing" ||
			info.WorkersSource != "configured" || info.QueueDepth != 3 {
			t.Errorf("workers: %+v", info)
		}
		if h := p.health(t, compute); h.QueueDepth != 3 || h.TotalReconciles != 0 {
			t.Errorf("health: %+v", h)
		}
		w.app.behave(succeeds)
		run.answer(http.StatusOK)
		w.synced(names...)
		w.settle()
		d = p.detail(t, run.namespace)
		if !d.Ready || d.ReadyReason != "synced" || !d.Children["run"][0].Ready || d.Children["run"][0].Status.Code != http.StatusOK ||
			d.Children["step"][0].Status.State != "ok" || d.Status.Attempt.Reconciler != "r0" {
			t.Errorf("after its end: %+v", d)
		}
	})
}

// Whoever has not made the last run has it from the record, without its steps.
func TestLastRunOfAnotherProcess(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		w.asked()
		w.start()
		w.register(compute, "sre")
		w.synced("sre")
		w.settle()
		w.started[0].stop()
		w.startOne()
		w.settle()
		sub := w.sub("sre")
		for i, p := range w.started {
			if ended(p.ended) {
				continue
			}
			d := p.detail(t, "sre")
			run := d.Children["run"]
			if len(run) != 1 || run[0].Name != sub.Attempt.Run || !run[0].Ready || run[0].Status.Attempts != 1 || run[0].Status.StartedAt == "" {
				t.Errorf("the run: %+v", run)
			}
			if own := w.identity(i) == sub.Attempt.Holder; own != (len(d.Children["step"]) == 1) {
				t.Errorf("made by itself: %t; steps: %+v", own, d.Children["step"])
			}
		}
	})
}

// Whoever has made a run before the last one tells of the last one.
func TestRunThatAnotherProcessHasMadeSince(t *testing.T) {
	t.Parallel()
	onGraphs(t, []fleet{{"etcd", 1}}, func(w *world) {
		w.asked()
		w.options = both(w.options, func(o *reconciler.Options) { o.MaxConcurrent = 1 })
		first := w.startOne()
		w.depends(compute, nil, "sre")
		w.reaches(compute, "sre")
		w.settle()
		calls := w.hold(of(apiA + "/apps"))
		w.depends(apiA, nil, "apps")
		busy := w.next(calls)
		second := w.startOne()
		w.resync(compute)
		w.reaches(compute, "sre")
		w.eventually("the first has seen it", func() bool { return first.detail(t, "sre").Status.Attempt.Reconciler == "r1" })
		for p, steps := range map[*process]int{first: 0, second: 1} {
			d := p.detail(t, "sre")
			if d.Children["run"][0].Name != d.Status.Attempt.Run || len(d.Children["step"]) != steps {
				t.Errorf("%+v, want %d steps", d, steps)
			}
		}
		busy.answer(http.StatusOK)
	})
}

func TestBackoffIsTold(t *testing.T) {
	t.Parallel()
	onFleets(t, []fleet{{"local", 1}}, func(w *world) {
		w.operated(retries(3, time.Hour, time.Hour))
		w.asked()
		p := w.startOne()
		w.app.behave(fails("sre"))
		w.register(compute, "sre")
		w.eventually("a retry is owed", func() bool { return !w.sub("sre").Attempt.RetryAt.IsZero() })
		w.settle()
		d := p.detail(t, "sre")
		if d.ReadyReason != "backoff" || !strings.Contains(d.ReadyMessage, "retry 1 follows at ") || d.Status.Attempt.RetryAt.IsZero() || d.Status.Failures != 2 {
			t.Errorf("%+v", d)
		}
	})
}

// What has no room in the queue says so.
func TestFullQueueIsTold(t *testing.T) {
	t.Parallel()
	onFleets(t, []fleet{{"local", 1}}, func(w *world) {
		w.operated(catalog.Operator{Workers: new(1), MaxDepth: new(1)})
		w.asked()
		p := w.startOne()
		calls := w.hold(every)
		names := []string{"apps", "ops", "sre", "web"}
		w.register(compute, names...)
		run := w.next(calls)
		w.eventually("all are seen", func() bool { return p.health(t, compute).ResourceCount == len(names) })
		told := 0
		w.eventually("two have no room", func() bool {
			told = 0
			for _, ns := range names {
				if strings.Contains(p.detail(t, ns).ReadyMessage, "is full (max_depth 1)") {
					told++
				}
			}
			return told >= 2 // three, if the one that runs was queued once more before its lock was seen
		})
		info := answer[katalog.CRDInfoResponse](t, p, "/"+compute, http.StatusOK)
		if info.MaxDepth != 1 || info.MaxDepthSource != "configured" || info.QueueRefused == 0 {
			t.Errorf("%+v", info)
		}
		if w.metric(`kayra_reconciler_queue_refused_total{api="compute.example.com"}`) == 0 {
			t.Error("nothing was refused")
		}
		w.app.behave(succeeds)
		run.answer(http.StatusOK)
		w.synced(names...)
	})
}

// What the autoscaler has set says so, with what it was set for.
func TestAutoscalerIsTold(t *testing.T) {
	t.Parallel()
	onFleets(t, []fleet{{"local", 1}}, func(w *world) {
		w.operated(scales(4))
		w.asked()
		p := w.startOne()
		calls := w.hold(every)
		w.register(compute, "a", "b", "c", "d", "e", "f")
		first := w.next(calls)
		var info katalog.CRDInfoResponse
		w.eventually("it is scaled up", func() bool {
			info = answer[katalog.CRDInfoResponse](t, p, "/"+compute, http.StatusOK)
			return info.AutoscalerWorkers.OverrideActive && info.Workers == 4 // what is read in between has the one alone
		})
		s := info.AutoscalerWorkers
		if !info.AutoscalerEnabled || info.Workers != 4 || info.WorkersSource != "autoscaler" || s.Configured != 1 || s.Effective != 4 ||
			s.Max != reconciler.DefaultMaxConcurrentReconciles || !strings.Contains(s.Reason, "queueDepth") || info.MaxDepthSource != "default" {
			t.Errorf("%+v, %+v", info, s)
		}
		running := []held{first, w.next(calls), w.next(calls), w.next(calls)}
		w.app.behave(succeeds)
		for _, h := range running {
			h.answer(http.StatusOK)
		}
		w.synced("a", "b", "c", "d", "e", "f")
	})
}

// A panic is counted, with the stack that leads to it, and is no more than a failure.
func TestPanicIsTold(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		w.asked()
		w.options = both(w.options, func(o *reconciler.Options) { o.Pipeline = panicking{o.Pipeline} })
		w.start()
		w.register(compute, "apps", "broken")
		w.synced("apps")
		w.settle()
		panics := int64(0)
		for _, p := range w.started {
			h := p.health(t, compute)
			panics += h.Panics
			if h.Panics == 0 {
				continue
			}
			if h.LastPanic == nil || !strings.HasPrefix(h.LastPanic.Stack, "kayra/reconciler_test.panicking.Run\n\treconciler/") || h.LastPanic.At == "" {
				t.Errorf("the last panic: %+v", h.LastPanic)
			}
			if strings.Contains(h.LastError+h.LastPanic.Stack, "a bug") || strings.Contains(h.LastPanic.Stack, "0x") {
				t.Errorf("it shows what panicked: %+v", h)
			}
		}
		if panics != 2 {
			t.Errorf("%d panics, not 2", panics)
		}
		w.wantMetric(`panics_total{api="compute.example.com"}`, 2)
	})
}

// The documents have what is stored, and what follows from it with where it comes from.
func TestRawAndEnriched(t *testing.T) {
	t.Parallel()
	onGraphs(t, []fleet{{"local", 1}}, func(w *world) {
		w.operated(catalog.Operator{MaxDepth: new(7)})
		w.asked()
		w.steps["api"][0].Headers = map[string]pipeline.Header{"Authorization": {Value: pipeline.Text("hunter2")}}
		p := w.startOne()
		w.depends(apiA, nil)
		deps := []catalog.Dependency{needs(apiA, "")}
		_, err := w.CreateRegistration(t.Context(), apiB, catalog.RegistrationChange{DependsOn: &deps})
		must(t, err)
		w.eventually("both are there", func() bool {
			return answer[katalog.KatalogResponse](t, p, "", http.StatusOK).Total == 2
		})
		raw := answer[map[string]any](t, p, "/"+apiB+"/raw", http.StatusOK)
		if raw["name"] != apiB || raw["mode"] != "" || raw["operator"] != nil {
			t.Errorf("raw: %v", raw)
		}
		enriched := answer[map[string]any](t, p, "/"+apiB+"/enriched", http.StatusOK)
		depth, _ := enriched["operator"].(map[string]any)["max_depth"].(map[string]any)
		if enriched["mode"] != "api" || depth["value"] != 7.0 || depth["source"] != "kayra.yaml" || len(enriched["steps"].([]any)) != 1 {
			t.Errorf("enriched: %v", enriched)
		}
		if dep, _ := enriched["depends_on"].([]any)[0].(map[string]any); dep["condition"] != "started" {
			t.Errorf("its dependency: %v", dep)
		}
		for _, path := range []string{"/raw", "/enriched"} {
			_, body := p.get(t, "/katalog"+path)
			if strings.Contains(body, "hunter2") {
				t.Errorf("a secret shows in %s", path)
			}
			all := answer[katalog.Document[map[string]any]](t, p, path, http.StatusOK)
			if all.Kind != "Katalog" || len(all.Spec.CRDs) != 2 || all.Spec.CRDs[0]["name"] != apiA || all.Spec.CRDs[1]["name"] != apiB {
				t.Errorf("%s: %+v", path, all)
			}
		}
	})
}

// Rules are told as long as they are there, of those that name the API and of those that name all.
func TestRolesAreTold(t *testing.T) {
	t.Parallel()
	onFleets(t, []fleet{{"local", 1}}, func(w *world) {
		w.asked()
		p := w.startOne()
		w.register(compute)
		rule := func(apis ...string) catalog.Rule {
			return catalog.Rule{APIs: apis, Resources: []string{"machines"}, Verbs: []string{"get", "list"}}
		}
		create := func(name string, rules ...catalog.Rule) {
			must(t, errOf(w.CreateRole(t.Context(), name, catalog.RoleChange{Rules: &rules})))
		}
		create("twice", rule(compute), rule(compute, "other.example.com"))
		create("all", rule(catalog.Everything))
		create("other", rule("other.example.com"))
		rules := func() (all katalog.RBACInfo) {
			for _, a := range answer[katalog.KatalogResponse](t, p, "", http.StatusOK).CRDs {
				all = answer[katalog.CRDInfoResponse](t, p, "/"+compute, http.StatusOK).RBAC
				if a.RBACCount != all.TotalRules {
					t.Errorf("%d rules in short, %d in full", a.RBACCount, all.TotalRules)
				}
			}
			return all
		}
		w.settle()
		got := rules()
		if got.TotalRules != 3 || got.Summary != "3 rules of 2 roles" || got.Rules[0].Description != "role all: get, list on machines" || got.Rules[2].APIGroups[1] != "other.example.com" {
			t.Errorf("%+v", got)
		}
		none := []catalog.Rule{rule("other.example.com")}
		must(t, errOf(w.UpdateRole(t.Context(), "twice", catalog.RoleChange{Rules: &none}, nil)))
		w.settle()
		if got := rules(); got.TotalRules != 1 {
			t.Errorf("after a change: %+v", got)
		}
		must(t, w.DeleteRole(t.Context(), "all", nil))
		w.settle()
		if got := rules(); got.TotalRules != 0 || got.Rules == nil {
			t.Errorf("without any: %+v", got)
		}
	})
}
