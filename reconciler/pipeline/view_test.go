package pipeline_test

import (
	"encoding/json"
	"testing"
	"time"

	"kayra/reconciler/pipeline"
)

func TestDescribe(t *testing.T) {
	t.Parallel()
	p := parse(t, quick(), pipeline.Step{
		Name: "start", Method: "post", Endpoint: `https://u:hunter2@h/{{ .Subscription.Api }}/x?token=hunter2&b={{ env "B" }}#hunter2`,
		Headers: map[string]pipeline.Header{
			"Authorization": {Type: "Bearer", Value: pipeline.Text("hunter2")}, "X-Env": {Value: pipeline.Env("GW")},
			"X-File": {Type: "T", Value: pipeline.File("/f")}, "X-From": {Value: pipeline.From(nil, pipeline.Origin{})},
		},
		Data: map[string]any{
			"a": "hunter2", "n": json.Number("42"), "on": true, "nil": nil, "list": []any{"hunter2{{ .Subscription.Api }}", `{{ print "hunter2" }}`},
		},
		Async: true, Outputs: map[string]string{"ID": ".id"}, Timeout: 90 * time.Second,
		Wait: []pipeline.Condition{{Key: ".s", Successes: []string{"1"}}}, TLS: pipeline.TLS{InsecureSkipVerify: true},
	}, get("http://h/{{ .Previous.Outputs.ID }}"))
	got, err := json.Marshal(p.Describe("m"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"name":"start","method":"POST","endpoint":"https://********@h/{{ .Subscription.Api }}/x?token=********\u0026b=********#********",` +
		`"headers":{"Authorization":{"type":"Bearer","value":"********"},"X-Env":{"value":{"env":"GW"}},"X-File":{"type":"T","value":{"file":"/f"}},"X-From":{"value":"********"}},` +
		`"data":{"a":"********","list":["********{{ .Subscription.Api }}","********"],"n":"********","nil":null,"on":true},"timeout":"1m30s","async":true,` +
		`"outputs":{"ID":".id"},"wait":[{"key":".s","successes":["1"]}],"tls":{"insecure_skip_verify":true}},` +
		`{"method":"GET","endpoint":"http://h/{{ .Previous.Outputs.ID }}","timeout":"30s"}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if steps := p.Describe("other"); len(steps) != 0 {
		t.Errorf("a mode without steps: %v", steps)
	}
}
