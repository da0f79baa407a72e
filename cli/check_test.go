package cli_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	s := authority(t)
	for line, want := range map[string]result{
		"check catalog namespaces get":                      {0, `allowed: {"api":"catalog.example.com","resource":"namespaces","verb":"get"}` + "\n", ""},
		"check -n sre catalog subscription delete":          {3, `refused: {"api":"catalog.example.com","resource":"subscriptions","verb":"delete","namespace":"sre"}` + "\n", ""},
		"check catalog.example.com subscriptions/sync get":  {0, `allowed: {"api":"catalog.example.com","resource":"subscriptions/sync","verb":"get"}` + "\n", ""},
		"check authorization roles get":                     {0, `allowed: {"api":"authorization.corp.example","resource":"roles","verb":"get"}` + "\n", ""},
		"check young.example.com machines get -n sre":       {0, `allowed: {"api":"young.example.com","resource":"machines","verb":"get","namespace":"sre"}` + "\n", ""},
		"check compute * get --as ann":                      {0, `allowed: {"api":"compute.example.com","resource":"*","verb":"get","user":"ann"}` + "\n", ""},
		"check compute machines get --as a --as-group b,c":  {0, `allowed: {"api":"compute.example.com","resource":"machines","verb":"get","user":"a","groups":["b,c"]}` + "\n", ""},
		"check -q compute machines get":                     {0, "", ""},
		"check -q compute machines put":                     {3, "", ""},
		"check --quiet compute machns put":                  {3, "", ""},
		"check compute machines put -o json":                {3, "{\n  \"allowed\": false,\n  \"reason\": \"{\\\"api\\\":\\\"compute.example.com\\\",\\\"resource\\\":\\\"machines\\\",\\\"verb\\\":\\\"put\\\"}\"\n}\n", `warning: "put" is no verb`},
		"check compute machines get -o yaml":                {0, "allowed: true\nreason: '{\"api\":\"compute.example.com\",\"resource\":\"machines\",\"verb\":\"get\"}'\n", ""},
		"check compute machns get":                          {0, `allowed: {"api":"compute.example.com","resource":"machns","verb":"get"}` + "\n", `warning: compute.example.com has no resource "machns"; the question is asked all the same` + "\n"},
		"check compte machines get":                         {0, `allowed: {"api":"compte","resource":"machines","verb":"get"}` + "\n", `warning: there is no API group "compte"; the question is asked all the same` + "\nhint: did you mean compute?"},
		"check -q nope.example.com machines creat":          {3, "", ""},
		"check compute machines creat":                      {3, `refused: {"api":"compute.example.com","resource":"machines","verb":"creat"}` + "\n", `warning: "creat" is no verb that is known of machines: they are list, get, create, update, patch, delete; the question is asked all the same` + "\n"},
		"check compute machines/restart boot":               {3, `refused: {"api":"compute.example.com","resource":"machines/restart","verb":"boot"}` + "\n", `warning: "boot" is no verb`},
		"check catalog namespaces watch":                    {3, `refused: {"api":"catalog.example.com","resource":"namespaces","verb":"watch"}` + "\n", ""},
		"check young.example.com machines boot":             {3, `refused: {"api":"young.example.com","resource":"machines","verb":"boot"}` + "\n", ""},
		"check compute machines *":                          {3, `refused: {"api":"compute.example.com","resource":"machines","verb":"*"}` + "\n", ""},
		"check":                                             {2, "", "kayra: which API, which resource, and which verb?"},
		"check compute":                                     {2, "", "kayra: which resource of compute, and which verb?"},
		"check compute machines":                            {2, "", "kayra: which verb on the machines of compute?"},
		"check compute machines get sre":                    {2, "", `kayra: too many arguments: "sre"`},
		"check compute machines get --as-group a":           {2, "", "kayra: --as-group is about somebody else"},
		"check compute machines get --as=":                  {2, "", "kayra: --as names nobody\nhint: leave out --as to ask about yourself"},
		"check compute machines get -q -o json":             {2, "", `{"code":2,`},
		"check -n sre catalog namespaces get":               {0, `allowed: {"api":"catalog.example.com","resource":"namespaces","verb":"get","namespace":"sre"}` + "\n", ""},
		"check compute machines get --token-file /dev/null": {2, "", "kayra: read token: /dev/null is empty"},
	} {
		got := run(t, append(at(s.URL), "KAYRA_CLIENT_TOKEN=t"), "", append([]string{"kayra"}, strings.Fields(line)...)...)
		if got.code != want.code || got.out != want.out || !strings.HasPrefix(got.err, want.err) || want.err == "" && got.err != "" {
			t.Errorf("%s:\n got %+v\nwant %+v", line, got, want)
		}
	}
	old := answering(t, http.NotFound)
	got := run(t, at(old.URL), "", "kayra", "check", "catalog", "namespaces", "get")
	if got.code != 1 || !strings.Contains(got.err, "the server has no API group authorization") {
		t.Errorf("of an old server: %+v", got)
	}
}
