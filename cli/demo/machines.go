package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"slices"
	"sync"
)

// machine is what the sample app serves. Its name is its identity.
type machine struct {
	Name string `json:"name"`
	Size string `json:"size"`
}

// tag is the machine's entity tag.
func (m machine) tag() string {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%q %q", m.Name, m.Size) // never fails
	return fmt.Sprintf(`"%x"`, h.Sum64())
}

// machines are those of all namespaces. Each namespace begins with two.
type machines struct {
	file string // where they are kept, or ""

	mu sync.Mutex
	of map[string]map[string]machine // by namespace and name
}

func openMachines(file string) (*machines, error) {
	m := &machines{file: file, of: map[string]map[string]machine{}}
	if file == "" {
		return m, nil
	}
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read machines: %w", err)
	}
	if err := json.Unmarshal(content, &m.of); err != nil {
		return nil, fmt.Errorf("read machines %s: %w", file, err)
	}
	return m, nil
}

// in are the machines of a namespace.
func (m *machines) in(namespace string) map[string]machine {
	if m.of[namespace] == nil {
		m.of[namespace] = map[string]machine{}
		for i, size := range []string{"small", "large"} {
			name := fmt.Sprintf("%s-%d", namespace, i+1)
			m.of[namespace][name] = machine{name, size}
		}
	}
	return m.of[namespace]
}

// keep writes the file anew.
func (m *machines) keep() error {
	if m.file == "" {
		return nil
	}
	content, err := json.Marshal(m.of)
	if err != nil {
		return fmt.Errorf("keep machines: %w", err)
	}
	err = os.WriteFile(m.file+".new", content, 0o600)
	if err == nil {
		err = os.Rename(m.file+".new", m.file)
	}
	if err != nil {
		return fmt.Errorf("keep machines: %w", err)
	}
	return nil
}

func (m *machines) serve(mux *http.ServeMux, namespace string) {
	handle := func(pattern string, do func(in map[string]machine, r *http.Request) (int, any)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			m.mu.Lock()
			defer m.mu.Unlock()
			status, body := do(m.in(r.PathValue("namespace")), r)
			if r.Method != http.MethodGet && status < http.StatusBadRequest {
				if err := m.keep(); err != nil {
					status, body = http.StatusInternalServerError, problem(http.StatusInternalServerError, err.Error())
				}
			}
			if one, ok := body.(machine); ok {
				w.Header().Set("ETag", one.tag())
			}
			answer(w, status, body)
		})
	}
	handle("GET "+namespace+"/machines", listMachines)
	handle("POST "+namespace+"/machines", createMachine)
	handle("GET "+namespace+"/machines/{name}", getMachine)
	handle("PUT "+namespace+"/machines/{name}", updateMachine)
	handle("DELETE "+namespace+"/machines/{name}", deleteMachine)
}

func listMachines(in map[string]machine, _ *http.Request) (int, any) {
	items := []machine{}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		items = append(items, in[name])
	}
	return http.StatusOK, map[string]any{"items": items}
}

func createMachine(in map[string]machine, r *http.Request) (int, any) {
	made := machine{Size: "small"}
	if err := json.NewDecoder(r.Body).Decode(&made); err != nil || made.Name == "" {
		return http.StatusBadRequest, problem(http.StatusBadRequest, "a machine has a name")
	}
	if _, there := in[made.Name]; there {
		return http.StatusConflict, problem(http.StatusConflict, fmt.Sprintf("machine %q exists already", made.Name))
	}
	in[made.Name] = made
	return http.StatusCreated, made
}

func getMachine(in map[string]machine, r *http.Request) (int, any) {
	is, there := in[r.PathValue("name")]
	if !there {
		return noMachine(r)
	}
	return http.StatusOK, is
}

func updateMachine(in map[string]machine, r *http.Request) (int, any) {
	is, there := in[r.PathValue("name")]
	if !there {
		return noMachine(r)
	}
	if match := r.Header.Get("If-Match"); match != "" && match != is.tag() {
		return http.StatusPreconditionFailed, problem(http.StatusPreconditionFailed, "it has been changed since")
	}
	next := is
	if err := json.NewDecoder(r.Body).Decode(&next); err != nil || next.Name != is.Name {
		return http.StatusBadRequest, problem(http.StatusBadRequest, "a machine keeps its name")
	}
	in[is.Name] = next
	return http.StatusOK, next
}

func deleteMachine(in map[string]machine, r *http.Request) (int, any) {
	if _, there := in[r.PathValue("name")]; !there {
		return noMachine(r)
	}
	delete(in, r.PathValue("name"))
	return http.StatusNoContent, nil
}

func noMachine(r *http.Request) (int, any) {
	return http.StatusNotFound, problem(http.StatusNotFound, fmt.Sprintf("there is no machine %q", r.PathValue("name")))
}

// problem is a refusal in the form that Kayra's own are in (RFC 9457).
func problem(status int, detail string) any {
	return map[string]any{"status": status, "title": http.StatusText(status), "detail": detail}
}
