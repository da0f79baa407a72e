package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"kayra/config"
	"kayra/store/catalog"
)

// operatorOf gives the defaults of operator blocks that a configuration has, or nil. An error has a line for each mistake,
// with the line of the file that it stands in.
func operatorOf(c *config.Config) (*catalog.Operator, error) {
	const key = "reconciler.operator"
	data, err := json.Marshal(c.Reconciler.Operator)
	if err != nil {
		return nil, wrongKey(c, key, err)
	}
	block, err := catalog.ReadOperator("", data)
	if err == nil {
		return block, nil
	}
	refused, ok := errors.AsType[*catalog.Error](err)
	if !ok {
		return nil, wrongKey(c, key, err)
	}
	lines := make([]string, len(refused.Fields))
	for i, f := range refused.Fields {
		lines[i] = wrongKey(c, keyAt(key, f.Pointer), errors.New(f.Detail)).Error()
	}
	return nil, &failure{code: codeUsage, message: strings.Join(lines, "\n"), err: err}
}

// keyAt is the key of what a JSON pointer leads to from another key.
func keyAt(key, pointer string) string {
	plain := regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch _, err := strconv.Atoi(part); {
		case pointer == "":
		case err == nil:
			key += fmt.Sprintf("[%s]", part)
		case plain.MatchString(part):
			key += "." + part
		default:
			key += "." + strconv.Quote(part)
		}
	}
	return key
}
