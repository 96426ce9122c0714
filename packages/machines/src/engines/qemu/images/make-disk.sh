#!/bin/sh
# Makes the disk of a virtual machine from the folder of an image.
# Usage: make-disk.sh TARGET IMAGE KERNEL GUEST SPARE_MIB
# It runs under the lock of TARGET, in a mount namespace of its own.
set -e
target=$1 image=$2 kernel=$3 guest=$4 spare=$5
[ ! -d "$target" ] || exit 0
part=$target.part
rm -rf --one-file-system "$part"
mkdir -p "$part/added/usr/lib/sandglass/guest" "$part/whole"
cp -a "$kernel/usr/lib/modules" "$part/added/usr/lib/modules"
cp -a "$guest/." "$part/added/usr/lib/sandglass/guest"
chown -R 0:0 "$part/added/usr/lib/sandglass"
mount -t overlay -o "ro,lowerdir=$part/added:$image" overlay "$part/whole"
used=$(du --summarize --block-size=M --one-file-system "$part/whole" | cut -dM -f1)
truncate --size="$((used + used / 8 + spare))M" "$part/disk.raw"
mkfs.ext4 -q -F -m 0 -E lazy_itable_init=1,nodiscard -d "$part/whole" "$part/disk.raw"
umount "$part/whole"
cp "$kernel/boot/vm/kernel" "$kernel/boot/vm/initrd" "$part/"
rm -rf "$part/added" "$part/whole"
# A machine is ready when its desktop is painted, if it has one that paints something.
[ ! -e "$image/etc/sandglass/session" ] || : > "$part/paints"
mv "$part" "$target"
