//go:build race

package etcdtest

// Racing is whether the race detector is at work, which makes all slower, and takes memory of its own. Under it, tests leave
// out what shows it nothing new: the same code on another fleet or under another name, and figures.
const Racing = true
