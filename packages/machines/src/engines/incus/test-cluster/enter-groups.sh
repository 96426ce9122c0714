#!/bin/bash
# Moves itself into the cgroups whose folders are given, before `--`, and becomes the first process of a member. The
# namespaces end with that process, and it ends when its standard input does, so nothing survives the test.
set -e
while [ "$1" != -- ]; do
  echo $$ > "$1/cgroup.procs"
  shift
done
shift
exec unshare --net --mount --pid --uts --ipc --cgroup --fork --kill-child "$@"
