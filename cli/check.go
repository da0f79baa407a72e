package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kayra/cli/term"
	"kayra/server/api"
)

// check asks whether somebody may do something.
type check struct {
	output

	asked api.Check
	quiet bool
}

func checkCommand(e *env) *cobra.Command {
	c := &check{}
	cmd := &cobra.Command{
		Use:   "check [-n NS] API RESOURCE VERB",
		Short: "Ask whether you, or somebody else, may do something",
		Long: "Ask whether you may do something, as an app asks before it does it for you; with\n" +
			"--as, whether another user may, which takes a sysadmin. API is a short or a long\n" +
			"name, VERB one such as get, list, create, update, patch or delete. Leave out -n\n" +
			"for a resource that lives in no namespace, or to ask about all namespaces.\n\n" +
			"The exit code is 0 for allowed and 3 for refused, and both answers are data:\n" +
			"they are written to the standard output.",
		Example: `  kayra check -n sre compute machines create
  kayra check -n sre catalog subscriptions/sync patch
  kayra check catalog namespaces list --as ann --as-group tenants
  if kayra check -q -n sre compute machines delete; then echo "may delete"; fi`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("as") && c.asked.User == "" {
				return usage("leave out --as to ask about yourself", "--as names nobody")
			}
			return c.readArgs(args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := e.remote(cmd)
			if err != nil {
				return err
			}
			return c.run(cmd.Context(), e, m)
		},
	}
	cmd.Flags().StringVarP(&c.asked.Namespace, "namespace", "n", "", "namespace in which it would be done")
	cmd.Flags().StringVar(&c.asked.User, "as", "", "ask about this user")
	cmd.Flags().StringArrayVar(&c.asked.Groups, "as-group", nil, "a group of that user; may be given several times")
	cmd.Flags().BoolVarP(&c.quiet, "quiet", "q", false, "write nothing: the exit code is the answer")
	addOutput(cmd, &c.output)
	cmd.Flag("output").DefValue = "" // a line of text
	addClient(cmd)
	return cmd
}

func (c *check) readArgs(args []string) error {
	const form = "the form is [-n NS] API RESOURCE VERB, such as -n sre compute machines create"
	switch len(args) {
	case 0:
		return usage(form, "which API, which resource, and which verb?")
	case 1:
		return usage(form, "which resource of %s, and which verb?", args[0])
	case 2:
		return usage(form, "which verb on the %s of %s?", args[1], args[0])
	case 3:
	default:
		return usage(form, "too many arguments: %q is one more than there can be", args[3])
	}
	if slices.Contains(args, "") {
		return usage(form, "none of API, RESOURCE and VERB can be empty")
	}
	if len(c.asked.Groups) > 0 && c.asked.User == "" {
		return usage("name the user with --as", "--as-group is about somebody else, and --as does not say who that is")
	}
	if c.quiet && c.format.given {
		return usage("", "-q writes nothing, and -o says how to write it: use either")
	}
	c.asked.API, c.asked.Resource, c.asked.Verb = args[0], args[1], args[2]
	return nil
}

func (c *check) run(ctx context.Context, e *env, m *remote) error {
	groups, err := m.groups(ctx)
	if err != nil {
		return err
	}
	path, err := authorizationPath(groups)
	if err != nil {
		return err
	}
	c.resolve(e, groups)
	body, err := encode(c.asked)
	if err != nil {
		return err
	}
	answer, err := m.at.Do(ctx, http.MethodPost, path+"/check", body)
	if err != nil {
		return err //nolint:wrapcheck // is shown as it is
	}
	var decided api.Decision
	if err := json.Unmarshal(answer.Body, &decided); err != nil {
		return fmt.Errorf("read decision: %w", err)
	}
	if err := c.show(e, decided, answer.Body); err != nil {
		return err
	}
	if !decided.Allowed {
		return &failure{code: codeDenied, silent: true, message: "refused: " + decided.Reason}
	}
	return nil
}

// resolve gives the API its long name, and a resource that the API is known to have its own. What is not known is asked
// about nevertheless, and warned of: the server has the last word, and a document that was never fetched tells of nothing.
func (c *check) resolve(e *env, groups []api.Group) {
	group, err := findGroup(groups, c.asked.API)
	if err != nil {
		c.warn(e, err)
		return
	}
	c.asked.API = group.Name
	if c.asked.Resource == "*" {
		return
	}
	base, sub, _ := strings.Cut(c.asked.Resource, "/")
	known, err := findResource(group, base)
	if err != nil {
		if len(group.Resources) > 0 {
			c.warn(e, err)
		}
		return
	}
	c.asked.Resource = strings.TrimSuffix(known.Name+"/"+sub, "/")
	if verbs := verbsOf(group, c.asked.Resource); c.asked.Verb != "*" && !slices.Contains(verbs, c.asked.Verb) {
		c.warn(e, usage("", "%q is no verb that is known of %s: they are %s", c.asked.Verb, c.asked.Resource, strings.Join(verbs, ", ")))
	}
}

// verbsOf are the verbs that any resource may have, and those that the group says this one has.
func verbsOf(group api.Group, resource string) []string {
	verbs := []string{"list", "get", "create", "update", "patch", "delete"}
	for _, r := range group.Resources {
		if r.Name == resource {
			verbs = append(verbs, r.Verbs...)
		}
	}
	return verbs
}

func (c *check) warn(e *env, err error) {
	if c.quiet {
		return
	}
	e.tell("warning: %s; the question is asked all the same", term.Escape(err.Error()))
	if f, ok := errors.AsType[*failure](err); ok && f.hint != "" {
		e.tell("hint: %s", term.Escape(f.hint))
	}
}

func (c *check) show(e *env, decided api.Decision, body []byte) error {
	word := "refused"
	if decided.Allowed {
		word = "allowed"
	}
	switch {
	case c.quiet:
		return nil
	case c.format.given:
		return e.show(c.output, "check", body)
	}
	return e.say("%s: %s", word, term.Escape(decided.Reason))
}
