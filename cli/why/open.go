package why

import (
	"fmt"
	"slices"
	"strings"

	"kayra/store/catalog"
)

// open is what to do about the gate that is shut.
func open(f *Facts, a *Answer) []Step {
	if a.Synced {
		return nil
	}
	switch shut(a) {
	case gateRegistered:
		return register(f, a)
	case gateSubscribed:
		return subscribe(f, a)
	case gateCanary:
		return release(f, a)
	case gatePaused:
		return []Step{{"let it go on:", update(a.API, `{"paused": false}`)}}
	case gateDependencies:
		return depend(a)
	case gateDocument:
		if unread(a) {
			return []Step{{"it opens by itself when the document is there. To see how it goes on:", fmt.Sprintf("kayra why %s -n %s", a.API, a.Namespace)}}
		}
		return []Step{{"mend what keeps the document from being read, and have all its subscribers tried again:", update(a.API, "{}")}}
	case gateMode:
		return []Step{
			{"name one of reconciler.mode:", update(a.API, `{"mode": "MODE"}`)},
			{"or set reconciler.default_mode in kayra.yaml, and start the reconcilers anew", ""},
		}
	case gateAttempt:
		return again(a)
	case gateQueue:
		return queue(f, a)
	}
	return []Step{
		{"nothing: it opens by itself when the attempt ends. To see how it goes on:", fmt.Sprintf("kayra why %s -n %s", a.API, a.Namespace)},
	}
}

func update(api, body string) string {
	return fmt.Sprintf("kayra update catalog apiregistrations %s -d '%s'", api, body)
}

func register(f *Facts, a *Answer) []Step {
	steps := []Step{{"register it:", fmt.Sprintf(`kayra create catalog apiregistrations -d '{"name": "%s"}'`, a.API)}}
	if f.Meant != "" {
		meant := Step{"perhaps another one was meant:", fmt.Sprintf("kayra why %s -n %s", f.Meant, a.Namespace)}
		steps = append([]Step{meant}, steps...)
	}
	return steps
}

func subscribe(f *Facts, a *Answer) []Step {
	var steps []Step
	if a.Missing == Namespace {
		steps = append(steps, Step{"make the namespace:", fmt.Sprintf(`kayra create catalog namespaces -d '{"name": "%s"}'`, a.Namespace)})
	}
	if r := f.Registration; r != nil && !admits(r.AllowedNamespaces, r.RestrictedNamespaces, a.Namespace) {
		steps = append(steps, Step{
			"allowed_namespaces or restricted_namespaces of the registration keep this namespace out; change that first:",
			fmt.Sprintf("kayra get catalog apiregistrations %s -o yaml", a.API),
		})
	}
	return append(steps, Step{
		"subscribe:", fmt.Sprintf(`kayra create catalog -n %s subscriptions -d '{"api": "%s"}'`, a.Namespace, a.API),
	})
}

func release(f *Facts, a *Answer) []Step {
	end := func(how string) string {
		return fmt.Sprintf("kayra rollout %s %s --expect-sync-id %s", how, a.API, a.Target)
	}
	steps := []Step{{"release the rollout to everybody:", end("release")}, {"or take it back from its canaries:", end("abort")}}
	if f.Registration == nil {
		steps[0].Say = "a sysadmin has to release the rollout:"
	}
	return steps
}

func depend(a *Answer) []Step {
	name, condition, is, ok := dependency(a.Message)
	switch {
	case !ok || !catalog.ValidLongName(name):
		return []Step{{"nothing here: it opens by itself when the dependency is what it must be", ""}}
	case is == "it is not registered":
		return []Step{{"register it:", fmt.Sprintf(`kayra create catalog apiregistrations -d '{"name": "%s"}'`, name)}}
	case condition == string(catalog.ConditionSynced):
		return []Step{{"it opens by itself; what keeps the dependency:", fmt.Sprintf("kayra why %s -n %s", name, a.Namespace)}}
	}
	return []Step{{
		"it opens by itself; who of its subscribers is not where they should be, and why:",
		fmt.Sprintf("kayra get catalog apiregistrations %s/status", name),
	}}
}

func again(a *Answer) []Step {
	sync := fmt.Sprintf("kayra sync %s -n %s", a.API, a.Namespace)
	if a.Reason == catalog.ReasonBackoff {
		return []Step{{"it is tried again by itself; once what failed is mended, it can be at once:", sync}}
	}
	return []Step{{"mend what failed, and have it tried again:", sync}}
}

func queue(f *Facts, a *Answer) []Step {
	if f.idle(a) {
		return []Step{{"start a reconciler:", "kayra reconciler --config kayra.yaml"}}
	}
	steps := []Step{{"it opens by itself when its turn comes. To see how it goes on:", fmt.Sprintf("kayra why %s -n %s", a.API, a.Namespace)}}
	if strings.Contains(a.Message, "waiting for a slot") {
		steps = append(steps, Step{"more at a time: another reconciler, a greater reconciler.max_concurrent_reconciles, or operator.workers of the registration", ""})
	}
	return steps
}

// admits tells whether a namespace may subscribe. Being restricted outweighs being allowed.
func admits(allowed, restricted []string, namespace string) bool {
	return !slices.Contains(restricted, namespace) && (len(allowed) == 0 || slices.Contains(allowed, namespace))
}
