#!/bin/sh
# Mounts the disk of a volume, unless it is mounted, and creates the folder that machines see of it.
# Usage: mount-volume.sh DISK MOUNT OPTIONS OWNER
# Another one that was started by a service which has ended meanwhile may still be running, so this waits for it. A disk that
# is still in use by a mount which is about to end is not checked, and is mounted through the same device.
set -e
disk=$1 mount=$2 options=$3 owner=$4
exec 9< "$disk"
flock 9
mkdir -p "$mount"
if ! mountpoint -q "$mount"; then
  if [ -z "$(losetup --noheadings --associated "$disk")" ]; then
    fsck.ext4 -y "$disk" > /dev/null 9<&- || [ $? -le 2 ]
  fi
  mount -t ext4 -o "$options" "$disk" "$mount" 9<&-
fi
# Its owner belongs to it from the start, because whoever has the volume can change that.
if [ ! -d "$mount/files" ]; then
  rm -rf "$mount/files.new"
  mkdir -m 0755 "$mount/files.new"
  chown "$owner:$owner" "$mount/files.new"
  mv "$mount/files.new" "$mount/files"
fi
