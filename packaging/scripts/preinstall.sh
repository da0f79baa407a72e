#!/bin/sh
# Makes the user that the services run as, before files are unpacked that belong to its group.
set -e
getent group kayra >/dev/null || groupadd --system kayra
getent passwd kayra >/dev/null || useradd --system --gid kayra --home-dir /var/lib/kayra --no-create-home --shell /usr/sbin/nologin --comment Kayra kayra
