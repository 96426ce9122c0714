#!/bin/bash
# The first process of a host of its own. It makes the root file system from an image, prints its process id on the host of
# the test, waits for a line, and becomes the given command.
#   $1 image   $2 folder for mounts   $3 name   then ro:FROM:TO, rw:FROM:TO or copy:FROM:TO for each folder that it has,
#   --, TYPE:OPTIONS:PATH for each cgroup mount, --, the command
set -e
image=$1 folder=$2 name=$3
shift 3
# What the tools below print belongs in the log.
exec 3>&1 >&2
# /proc is still that of the host of the test.
read -r pid _ < /proc/self/stat
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$folder"
mkdir "$folder/upper" "$folder/work" "$folder/root"
root=$folder/root
mount -t overlay -o "lowerdir=$image,upperdir=$folder/upper,workdir=$folder/work" overlay "$root"
mount -t proc proc "$root/proc"
# systemd raises these two, which the host of the test shares.
for file in file-max nr_open; do
  mount --bind "$root/proc/sys/fs/$file" "$root/proc/sys/fs/$file"
  mount -o remount,bind,ro "$root/proc/sys/fs/$file"
done
mount -t sysfs sysfs "$root/sys"
# systemd changes the owners and modes of terminals, so the devices are nodes of its own, and not those of the host of the test.
mount -t tmpfs -o mode=755,nosuid tmpfs "$root/dev"
mkdir "$root/dev/pts" "$root/dev/shm" "$root/dev/net"
while read -r device major minor; do
  mknod -m 666 "$root/dev/$device" c "$major" "$minor"
done << 'DEVICES'
null 1 3
zero 1 5
full 1 7
random 1 8
urandom 1 9
tty 5 0
console 1 3
kmsg 1 3
loop-control 10 237
fuse 10 229
net/tun 10 200
DEVICES
for number in {0..255}; do mknod -m 660 "$root/dev/loop$number" b 7 "$number"; done
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
ln -s pts/ptmx "$root/dev/ptmx"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
# The kernel lets machines mount a /proc of their own only where there is one without mounts on it.
mkdir "$root/run/proc"
mount -t proc proc "$root/run/proc"
while [ "$1" != -- ]; do
  IFS=: read -r how from to <<< "$1"
  shift
  mkdir -p "$root$to"
  if [ "$how" = copy ]; then
    mkdir -p "$folder/upper-$#" "$folder/work-$#"
    mount -t overlay -o "lowerdir=$from,upperdir=$folder/upper-$#,workdir=$folder/work-$#" overlay "$root$to"
  else mount --bind "$from" "$root$to"
  fi
  [ "$how" != ro ] || mount -o remount,bind,ro "$root$to"
done
shift
hostname "$name"
echo "$name" > "$root/etc/hostname"
echo "127.0.0.1 localhost $name" > "$root/etc/hosts"
mkdir "$root/run/old"
cd "$root"
pivot_root . run/old
umount --lazy /run/old
rmdir /run/old
# A host with one cgroup tree has it at the place of the folder that otherwise holds the trees.
[[ " $* " == *":/sys/fs/cgroup "* ]] || mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
while [ "$1" != -- ]; do
  IFS=: read -r type options path <<< "$1"
  shift
  mkdir -p "$path"
  mount -t "$type" ${options:+-o "$options"} "$type" "$path"
done
shift
ip link set lo up
echo "up $pid" >&3
read -r _
echo booting >&3
exec env --ignore-environment PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin container=sandglass-test "$@" \
  < /dev/null 3>&-
