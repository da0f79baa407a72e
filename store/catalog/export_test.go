package catalog

// Encode is the opposite of Decode.
func Encode(v record) ([]byte, error) { return encode(v) }

// ValidSyncID tells whether the value can be a sync id.
func ValidSyncID(value string) bool { return validSyncID(value) }

// Keys are the keys of all kinds of records with these names, by the prefix that each must not leave.
func Keys(s Scope, api, namespace, syncID string) map[string]string {
	ref := Ref{Platform: s.Platform, Region: s.Region, Name: api}
	return map[string]string{
		s.Prefix() + "registrations/":                         s.registrationKey(api),
		s.Prefix() + "shortnames/":                            s.shortNameKey(namespace),
		s.Prefix() + "namespaces/":                            s.namespaceKey(namespace),
		s.Prefix() + "subscriptions/" + api + "/":             s.subscriptionKey(api, namespace),
		s.Prefix() + "by-namespace/" + namespace + "/":        s.byNamespaceKey(namespace, api),
		s.Prefix() + "specs/":                                 s.specKey(api),
		s.Prefix() + "locks/specs/":                           s.specLockKey(api),
		s.Prefix() + "locks/subscriptions/" + api + "/":       s.subscriptionLockKey(api, namespace),
		"documents/" + s.String() + "/" + api + "/":           s.documentKey(api, syncID),
		"resources/" + s.String() + "/" + api + "/":           s.resourcesKey(api, syncID),
		"dependents/" + s.String() + "/" + api + "/" + "p/r/": ref.dependentKey(Ref{Platform: "p", Region: "r", Name: api}),
	}
}
