package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"
)

// update changes a thing, or one side of it.
type update struct {
	target
	output
	bodyFlags

	dry dryRun
}

func updateCommand(e *env) *cobra.Command {
	u := &update{}
	cmd := &cobra.Command{
		Use:   "update GROUP [-n NS] RESOURCE NAME[/SUB] (-d JSON | -f FILE)",
		Short: "Change a thing",
		Long: "Change a thing (PUT). A key that the body leaves out keeps its value, null\n" +
			"clears it; likewise within operator of an API registration. NAME/sync\n" +
			"gives an API registration a fresh sync_id, to everyone or to a canary, or\n" +
			"releases or aborts a rollout; of a subscription it forces a re-sync.",
		Example: `  kayra update catalog apiregistrations compute.example.com -d '{"owner": "sre-b"}'
  kayra update catalog apiregistrations compute.example.com -d '{"owner": "sre-b"}' --dry-run=client
  kayra update catalog apiregistrations compute.example.com -d '{"operator": {"workers": null, "retry": {"max_attempts": 5}}}'
  kayra update catalog apiregistrations compute.example.com -d '{"allowed_namespaces": ["sre"]}'
  kayra update catalog apiregistrations compute.example.com/sync -d '{"canary_namespaces": ["sre"]}'
  kayra update catalog apiregistrations compute.example.com/sync -d '{"release": true}'
  kayra update catalog apiregistrations compute.example.com/sync -d '{"abort": true}'
  kayra update catalog -n sre subscriptions compute.example.com/sync -d '{}'`,
		Args: func(_ *cobra.Command, args []string) error { return u.readArgs(args) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			body, err := u.read(cmd, e.streams.In)
			if err != nil {
				return err
			}
			c, err := e.remote(cmd)
			if err != nil {
				return err
			}
			return u.run(cmd.Context(), e, c, body)
		},
	}
	addTarget(cmd, &u.target)
	addBody(cmd, &u.bodyFlags)
	addOutput(cmd, &u.output)
	addDryRun(cmd, &u.dry)
	addClient(cmd)
	return cmd
}

func (u *update) readArgs(args []string) error {
	if err := u.target.readArgs(args); err != nil {
		return err
	}
	return u.needName("change")
}

func (u *update) run(ctx context.Context, e *env, c *remote, body []byte) error {
	r, err := c.resolve(ctx, &u.target)
	if err != nil {
		return err
	}
	query, err := u.dry.query(r, &u.target)
	if err != nil {
		return err
	}
	if u.dry == dryClient {
		return e.showRequest(u.output, r, http.MethodPut, body)
	}
	document, err := r.call(ctx, http.MethodPut, query, body)
	if err != nil {
		return err
	}
	done := fmt.Sprintf("%s %q updated%s", singular(u.resource), u.name, u.dry.done())
	if u.sub != "" {
		done = fmt.Sprintf("%s %q: %s", singular(u.resource), u.name, u.sub)
	}
	return e.showWritten(u.output, r.resource, document, done+synced(u.sub, document))
}

// synced says what a sync has led to, as far as the answer tells.
func synced(sub string, document []byte) string {
	id := textOf(document, "sync_id", "expected_sync_id")
	if sub != "sync" || id == "" {
		return ""
	}
	var reg struct {
		Canaries []string `json:"canary_namespaces"`
	}
	if json.Unmarshal(document, &reg) == nil && len(reg.Canaries) > 0 {
		return " to " + id + ", for " + strings.Join(reg.Canaries, ", ") + " alone until it is released or aborted"
	}
	return " to " + id
}
