// Kayra is a control plane for teams that offer APIs to tenants. See README.md.
package main

import (
	"os"

	"kayra/cli"
)

func main() { os.Exit(cli.Main()) }
