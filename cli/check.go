package cli

import (
	"context"
	"encoding/json"
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
	if err := c.resolve(e, groups); err != nil {
		return err
	}
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

// resolve gives the API its long name, and a resource that the API is known to have its own. Of one that it is not known to
// have the server is asked nevertheless: a document that was never fetched tells of none.
func (c *check) resolve(e *env, groups []api.Group) error {
	group, err := findGroup(groups, c.asked.API)
	if err != nil {
		return err
	}
	c.asked.API = group.Name
	if c.asked.Resource == "*" {
		return nil
	}
	base, sub, _ := strings.Cut(c.asked.Resource, "/")
	known, err := findResource(group, base)
	if err != nil {
		if len(group.Resources) > 0 && !c.quiet {
			e.tell("warning: %s", term.Escape(err.Error()+"; the question is asked all the same"))
		}
		return nil
	}
	if !known.Namespaced && c.asked.Namespace != "" {
		return usage("leave out -n", "%s do not live in a namespace", known.Name)
	}
	c.asked.Resource = strings.TrimSuffix(known.Name+"/"+sub, "/")
	return nil
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
