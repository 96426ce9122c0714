#!/usr/bin/perl
# Mounts FOLDER of a mounted disk at TARGET, which may be the same, with other owners: the SIZE ids that begin with FROM appear
# as those that begin with TO, and root as itself, since the work folder of an overlay belongs to it. ATTRIBUTES are those of
# mount_setattr(2) that the mount gets as well. Then this process becomes COMMAND.
# Usage: map-owners.pl FOLDER TARGET ATTRIBUTES FROM TO SIZE COMMAND...
use strict;
use warnings;

my ($folder, $target, $attributes, $from, $to, $size, @command) = @ARGV;
my $arm = -e '/lib/ld-linux-aarch64.so.1';
my $UNSHARE = $arm ? 97 : 272;
my ($OPEN_TREE, $MOVE_MOUNT, $MOUNT_SETATTR) = (428, 429, 442);
my $CLONE_NEWUSER = 0x10000000;
my $nothing = '';

# Returns a user namespace in which the ids are mapped. It needs no process.
sub namespace {
  pipe(my $ready_out, my $ready_in) or die "pipe: $!";
  pipe(my $hold_out, my $hold_in) or die "pipe: $!";
  my $child = fork() // die "fork: $!";
  if (!$child) {
    close($hold_in);
    syscall($UNSHARE, $CLONE_NEWUSER) == 0 or die "unshare: $!";
    syswrite($ready_in, '1');
    sysread($hold_out, my $end, 1);
    exit 0;
  }
  close($ready_in);
  close($hold_out);
  sysread($ready_out, my $is_ready, 1) or die "no user namespace\n";
  for my $kind ('uid', 'gid') {
    open(my $map, '>', "/proc/$child/${kind}_map") or die "${kind}_map: $!";
    defined(syswrite($map, "0 0 1\n$from $to $size\n")) or die "${kind}_map: $!";
  }
  open(my $namespace, '<', "/proc/$child/ns/user") or die "user namespace: $!";
  close($hold_in);
  waitpid($child, 0);
  return $namespace;
}

# OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC, then MOUNT_ATTR_IDMAP, then MOVE_MOUNT_F_EMPTY_PATH.
my $tree = syscall($OPEN_TREE, -100, $folder, 0x80001);
$tree >= 0 or die "open_tree: $!";
my $namespace = $from == $to ? undef : namespace();
my $set = $namespace ? pack('Q4', $attributes | 0x100000, 0, 0, fileno($namespace)) : pack('Q4', $attributes, 0, 0, 0);
syscall($MOUNT_SETATTR, $tree, $nothing, 0x1000, $set, 32) == 0 or die "mount_setattr: $!";
syscall($MOVE_MOUNT, $tree, $nothing, -100, $target, 4) == 0 or die "move_mount: $!";
exit 0 unless @command;
exec(@command) or die "$command[0]: $!";
