package cli_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// plants are secrets, each in a place of its own, so that one that shows tells where it came from.
type plants struct {
	mu    sync.Mutex
	at    map[string]string // place -> secret
	seeds map[head][]seed
}

// head is how a seed begins, by which it is found.
type head [8]byte

// seed is a secret in one of the forms that it may show in.
type seed struct{ place, form, text string }

// plant gives a place its secret. Its letters stay as they are in a URL, in JSON and in a shell.
func (p *plants) plant(place string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at == nil {
		p.at = map[string]string{}
	}
	secret := fmt.Sprintf("s3cr3t-%02d-%s-end", len(p.at), strings.ReplaceAll(place, " ", "-"))
	p.at[place] = secret
	p.note(place, secret)
	return secret
}

// note has a text looked for as a secret of the place, whoever made it.
func (p *plants) note(place, text string) {
	const short = 3 // bytes of the text that another alignment may spoil at either end
	all := []seed{
		{place, "as it is", text},
		{place, "in hexadecimal", hex.EncodeToString([]byte(text))},
		{place, "in capitals", strings.ToUpper(text)},
		{place, "escaped", url.QueryEscape("&" + text)},
	}
	for shift := range short {
		part := base64.RawStdEncoding.EncodeToString([]byte(text[shift:]))
		all = append(all, seed{place, "in base64", part[:len(part)-short-1]})
	}
	if p.seeds == nil {
		p.seeds = map[head][]seed{}
	}
	for _, s := range all {
		h := head([]byte(s.text)) // one that is shorter panics
		p.seeds[h] = append(p.seeds[h], s)
	}
}

// found are the seeds in a text, and where.
func (p *plants) found(seen string) iter.Seq2[int, seed] {
	return func(yield func(int, seed) bool) {
		text := []byte(seen)
		for at := range len(text) - len(head{}) + 1 {
			for _, s := range p.seeds[head(text[at:])] {
				if strings.HasPrefix(seen[at:], s.text) && !yield(at, s) {
					return
				}
			}
		}
	}
}

// file is a file that holds the secret of a place.
func (p *plants) file(t *testing.T, dir, place string) string {
	t.Helper()
	path := filepath.Join(dir, strings.ReplaceAll(place, " ", "-"))
	if err := os.WriteFile(path, []byte(p.plant(place)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// places are all that were planted in.
func (p *plants) places() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for place := range p.at {
		all = append(all, place)
	}
	slices.Sort(all)
	return all
}

// search fails the test for each secret that shows in what was seen somewhere.
func (p *plants) search(t *testing.T, where, seen string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	told := map[string]bool{}
	for at, s := range p.found(seen) {
		if told[s.place] {
			continue
		}
		told[s.place] = true
		const around = 200
		t.Errorf("%s shows the secret of %s, %s: …%s…", where, s.place, s.form, seen[max(0, at-around):min(len(seen), at+around)])
	}
}

func TestPlantsAreFound(t *testing.T) {
	t.Parallel()
	var p plants
	secret := p.plant("a place")
	for form, text := range map[string]string{
		"as it is":  "x" + secret + "y",
		"basic":     base64.StdEncoding.EncodeToString([]byte("user:" + secret)),
		"bearer":    base64.StdEncoding.EncodeToString([]byte("us:" + secret + "!")),
		"url":       base64.URLEncoding.EncodeToString([]byte("u:" + secret)),
		"hex":       hex.EncodeToString([]byte(secret)),
		"query":     url.Values{"a": {"&" + secret}}.Encode(),
		"in colour": "\x1b[31m" + secret + "\x1b[0m",
	} {
		found := false
		for range p.found(text) {
			found = true
		}
		if !found {
			t.Errorf("%s is not found in %q", form, text)
		}
	}
}
