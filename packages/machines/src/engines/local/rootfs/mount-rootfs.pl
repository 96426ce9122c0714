#!/usr/bin/perl
# Mounts the root of a machine: an overlay of its own upper directory over the shared image, whose owners 0..SIZE-1
# appear as BASE..BASE+SIZE-1 (an idmapped mount, which mount(8) of Debian 12 cannot create).
# Usage: mount-rootfs.pl IMAGE BASE SIZE LOWER UPPER WORK ROOTFS     BASE 0 maps nothing.
use strict;
use warnings;

my ($image, $base, $size, $lower, $upper, $work, $rootfs) = @ARGV;
my $arm = -e '/lib/ld-linux-aarch64.so.1';
my ($MOUNT, $UMOUNT2, $UNSHARE) = $arm ? (40, 39, 97) : (165, 166, 272);
my ($OPEN_TREE, $MOVE_MOUNT, $MOUNT_SETATTR) = (428, 429, 442);
my $nothing = '';

# Returns a descriptor of a user namespace with the mapping. It keeps the namespace alive after the child that created
# it has ended.
sub mapping {
  pipe(my $ready_out, my $ready_in) or die "pipe: $!";
  pipe(my $hold_out, my $hold_in) or die "pipe: $!";
  my $child = fork() // die "fork: $!";
  if (!$child) {
    close($hold_in);
    syscall($UNSHARE, 0x10000000) == 0 or die "unshare: $!";
    syswrite($ready_in, '1');
    sysread($hold_out, my $end, 1);
    exit 0;
  }
  close($hold_out);
  close($ready_in);
  sysread($ready_out, my $unshared, 1) or die "no user namespace\n";
  for my $kind ('uid', 'gid') {
    open(my $map, '>', "/proc/$child/${kind}_map") or die "${kind}_map: $!";
    syswrite($map, "0 $base $size\n") or die "${kind}_map: $!";
  }
  open(my $namespace, '<', "/proc/$child/ns/user") or die "user namespace: $!";
  close($hold_in);
  waitpid($child, 0);
  return $namespace;
}

# OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC, then MOUNT_ATTR_IDMAP | MOUNT_ATTR_RDONLY, then MOVE_MOUNT_F_EMPTY_PATH.
my $tree = syscall($OPEN_TREE, -100, $image, 0x80001);
$tree >= 0 or die "open_tree: $!";
if ($base) {
  my $namespace = mapping();
  my $attributes = pack('Q4', 0x100001, 0, 0, fileno($namespace));
  syscall($MOUNT_SETATTR, $tree, $nothing, 0x1000, $attributes, 32) == 0 or die "mount_setattr: $!";
}
syscall($MOVE_MOUNT, $tree, $nothing, -100, $lower, 4) == 0 or die "move_mount: $!";

my ($kind, $options) = ('overlay', "lowerdir=$lower,upperdir=$upper,workdir=$work");
my $mounted = syscall($MOUNT, $kind, $rootfs, $kind, 0, $options) == 0;
my $why = $!;
# The overlay holds its own reference to the lower mount.
syscall($UMOUNT2, $lower, 2);
$mounted or die "overlay: $why";
