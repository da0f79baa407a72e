package config

// Origin says where a secret is found: the variable or the path of the file, which are no secrets. Both are "" for one that
// stands in the configuration itself.
func (s Secret) Origin() (env, file string) {
	env, _ = s.as(fromEnv)
	file, _ = s.as(fromFile)
	return env, file
}
