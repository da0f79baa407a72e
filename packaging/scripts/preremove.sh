#!/bin/sh
# Called with "remove" by dpkg and with 0 by rpm when the package goes, and with something else when another version comes.
set -e
case "$1" in
remove | 0) ;;
*) exit 0 ;;
esac
[ -d /run/systemd/system ] || exit 0
systemctl disable --now kayra-serve.service kayra-reconciler.service
