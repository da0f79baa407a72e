package catalog_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"kayra/store/catalog"
)

func TestNames(t *testing.T) {
	t.Parallel()
	long63 := strings.Repeat("x", 63)
	for value, label := range map[string]bool{
		"a": true, "a-b": true, "0": true, "9a": true, "a--b": true, long63: true,
		"": false, "-": false, "-a": false, "a-": false, "A": false, "a_b": false, "a/b": false, "ä": false, "a b": false,
		"a\n": false, "a\x00": false, long63 + "x": false, ".": false, "..": false,
	} {
		if catalog.ValidLabel(value) != label {
			t.Errorf("label %q: %t", value, !label)
		}
		if catalog.ValidLongName(value) {
			t.Errorf("long name %q", value)
		}
	}
	most := strings.Repeat("a.", 126) + "a" // 253 characters
	for value, ok := range map[string]bool{
		"a.b": true, compute: true, "a.b.c.d": true, "1.2": true, long63 + ".com": true, most: true,
		"a..b": false, ".a.b": false, "a.b.": false, ".": false, "..": false, "a.-b": false, "A.b": false, "a.b/c": false, "../a.b": false,
		long63 + "x.com": false, most + "a": false,
	} {
		if catalog.ValidLongName(value) != ok {
			t.Errorf("long name %q: %t", value, !ok)
		}
	}
}

// FuzzNames takes any text for a name. What is taken is what the patterns say, can be read back under its key, and stands
// for itself alone.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"a", "a.b", compute, "", ".", "..", "a/b.c", "A.b", "\x00", "é.com", "a.b\n", strings.Repeat("a.", 130)} {
		f.Add(name)
	}
	label := `[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?`
	labels, names := regexp.MustCompile(`^`+label+`\z`), regexp.MustCompile(`^`+label+`(\.`+label+`)+\z`)
	s := openLocal(f)
	f.Fuzz(func(t *testing.T, name string) {
		if got, want := catalog.ValidLabel(name), labels.MatchString(name); got != want {
			t.Fatalf("label %q: %t", name, got)
		}
		if got, want := catalog.ValidLongName(name), names.MatchString(name) && len(name) <= 253; got != want {
			t.Fatalf("long name %q: %t", name, got)
		}
		w := newWorld(t, s)
		_, err := w.CreateRegistration(t.Context(), name, catalog.RegistrationChange{})
		if !catalog.ValidLongName(name) {
			w.refuses(err, catalog.ErrInvalid)
			return
		}
		if err != nil && !errors.Is(err, catalog.ErrConflict) {
			t.Fatal(err)
		}
		if reg, err := w.Registration(t.Context(), name); err != nil || reg.Name != name {
			t.Fatalf("%q was read as %+v, %v", name, reg, err)
		}
		id := home().ParseKey(home().Prefix() + "registrations/" + name)
		if id.Kind != catalog.KindRegistration || id.API != name {
			t.Fatalf("key of %q: %+v", name, id)
		}
	})
}

func TestParseKey(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]catalog.ID{
		"boot":                       {Kind: catalog.KindBoot},
		"registrations/a.b":          {Kind: catalog.KindRegistration, API: "a.b"},
		"namespaces/n":               {Kind: catalog.KindNamespace, Namespace: "n"},
		"subscriptions/a.b/n":        {Kind: catalog.KindSubscription, API: "a.b", Namespace: "n"},
		"specs/a.b":                  {Kind: catalog.KindSpec, API: "a.b"},
		"reconcilers/u":              {Kind: catalog.KindReconciler, Name: "u"},
		"roles/admin":                {Kind: catalog.KindRole, Name: "admin"},
		"rolebindings/sre-admin":     {Kind: catalog.KindRoleBinding, Name: "sre-admin"},
		"locks/specs/a.b":            {Kind: catalog.KindSpecLock, API: "a.b"},
		"locks/subscriptions/a.b/n":  {Kind: catalog.KindSubscriptionLock, API: "a.b", Namespace: "n"},
		"shortnames/s":               {},
		"by-namespace/n/a.b":         {},
		"by-role/admin/sre-admin":    {},
		"namespace-bindings/n/b":     {},
		"bindings-version/n":         {},
		"something/of/a/new/version": {},
		"":                           {},
	} {
		if got := home().ParseKey(home().Prefix() + key); got != want {
			t.Errorf("%q: %+v", key, got)
		}
	}
}
