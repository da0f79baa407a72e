package auth_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"kayra/server/auth"
)

func TestBearer(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"Bearer abc": "abc", "bearer abc": "abc", "BEARER  abc ": "abc", "Bearer aZ09-._~+/==": "aZ09-._~+/==", `Bearer p@$$:"w0rd",{}`: `p@$$:"w0rd",{}`,
		"": "", "Bearer": "", "Bearer ": "", "Basic abc": "", "Basic a b": "", "abc": "", "Bearerabc": "", "Bearer\tabc": "",
	} {
		got, err := bearer(value)
		if got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", value, got, err, want)
		}
	}
	if got, err := bearer(); got != "" || err != nil {
		t.Errorf("no header: %q, %v", got, err)
	}
}

func TestWhatIsNoBearer(t *testing.T) {
	t.Parallel()
	for _, values := range [][]string{
		{"Bearer a", "Bearer b"},
		{"Bearer a", "Bearer a"},
		{"", "Bearer a"},
		{"Basic a", "Bearer a"},
		{"Bearer hunter2 x"},
		{"Bearer hunter2, Bearer b"},
		{"Bearer hünter2"},
		{"Bearer hunter2\x00"},
		{"Bearer \thunter2"},
	} {
		got, err := bearer(values...)
		if got != "" || !errors.Is(err, auth.ErrUnauthenticated) || strings.Contains(err.Error(), "unter") {
			t.Errorf("%q: %q, %v", values, got, err)
		}
	}
}

func bearer(values ...string) (string, error) {
	return auth.Bearer(&http.Request{Header: http.Header{"Authorization": values}})
}
