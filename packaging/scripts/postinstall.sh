#!/bin/sh
# The services are neither enabled nor started: they need to be told platform and region first. Those that run, run the
# new version from here on.
set -e
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload
systemctl try-restart kayra-serve.service kayra-reconciler.service
