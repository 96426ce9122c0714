#!/bin/bash
# The first process of a member. It makes the root file system from the image, prints its process id on the host, and
# then runs one command per line of its standard input. It is not incusd, so that incusd can be killed alone.
#   $1 image   $2 folder for mounts   $3 file with the disk   $4 name   the rest: TYPE:OPTIONS:PATH of each cgroup mount
set -e
image=$1 folder=$2 disk=$3 name=$4
shift 4
# What the tools below print belongs in the log.
exec 3>&1 >&2
# /proc is still that of the host.
read -r pid _ < /proc/self/stat
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$folder"
mkdir "$folder/upper" "$folder/work" "$folder/root"
root=$folder/root
mount -t overlay -o "lowerdir=$image,upperdir=$folder/upper,workdir=$folder/work" overlay "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
mkdir -p "$root/var/lib/incus" "$root/var/lib/lxcfs" "$root/var/log/incus"
if ! blkid "$disk" > /dev/null; then
  touch "$root/run/disk"
  mount --bind "$disk" "$root/run/disk"
  chroot "$root" mkfs.btrfs --quiet /run/disk
  umount "$root/run/disk"
fi
# A kill of the member loses nothing that the kernel has, so there is no need to wait until the host's disk has it too.
mount -o loop,noatime,nobarrier "$disk" "$root/var/lib/incus"
hostname "$name"
echo "$name" > "$root/etc/hostname"
echo "127.0.0.1 localhost $name" > "$root/etc/hosts"
mkdir "$root/run/old"
cd "$root"
pivot_root . run/old
umount --lazy /run/old
export HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin
if [ ! -d /var/lib/incus/pool ]; then
  btrfs --quiet subvolume create /var/lib/incus/pool
  btrfs quota enable /var/lib/incus
fi
# A host with one cgroup tree has it at the place of the folder that otherwise holds the trees.
[[ " $* " == *":/sys/fs/cgroup "* ]] || mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
for tree; do
  IFS=: read -r type options path <<< "$tree"
  mkdir -p "$path"
  mount -t "$type" ${options:+-o "$options"} "$type" "$path"
done
ip link set lo up
# Starts incusd again when it fails, as systemd does. It fails when the disk with its database is full, for example.
supervise() {
  until [ -e /run/incusd.stopped ]; do
    /usr/libexec/incus/incusd --group root &
    echo $! > /run/incusd.pid
    wait $! || [ -e /run/incusd.stopped ] || sleep 1
  done
}
echo "up $pid" >&3
while read -r command; do
  case $command in
    groups)
      # Only a cgroup without processes can share out controllers. LXC knows this name and places containers beside it.
      mkdir -p /sys/fs/cgroup/init.scope
      echo 1 > /sys/fs/cgroup/init.scope/cgroup.procs
      for controller in $(cat /sys/fs/cgroup/cgroup.controllers); do
        echo "+$controller" > /sys/fs/cgroup/cgroup.subtree_control || true
      done
      ;;
    files) lxcfs /var/lib/lxcfs > /dev/null 2>&1 < /dev/null 3>&- & ;;
    daemon)
      rm -f /run/incusd.stopped
      supervise < /dev/null 3>&- &
      echo $! > /run/supervisor.pid
      ;;
  esac
  echo "$command done" >&3
done
