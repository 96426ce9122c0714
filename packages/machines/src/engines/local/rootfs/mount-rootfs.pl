#!/usr/bin/perl
# Mounts the root of a machine: an overlay of its own upper directory over the shared image, whose owners 0..SIZE-1
# appear as BASE..BASE+SIZE-1 (an idmapped mount, which mount(8) of Debian 12 cannot create).
# The user namespace with that mapping is the one that the machine will have. It is bound to the file NAMESPACE.
# It is inside another one, which belongs to the host's user OWNER and has the limits NAME=NUMBER of /proc/sys/user.
# The kernel counts what a namespace uses for the user who created it, in the namespace where that was. The outer
# namespace therefore limits everything in the machine together, and nothing is counted for the users of the host.
# Usage: mount-rootfs.pl IMAGE OWNER BASE SIZE MAPPED NAMESPACE LOWER UPPER WORK ROOTFS [NAME=NUMBER]...
# If MAPPED is 0, the owners of the image are unchanged.
use strict;
use warnings;

my ($image, $owner, $base, $size, $mapped, $pinned, $lower, $upper, $work, $rootfs, @limits) = @ARGV;
my $arm = -e '/lib/ld-linux-aarch64.so.1';
my ($MOUNT, $UMOUNT2, $UNSHARE, $PRCTL) = $arm ? (40, 39, 97, 167) : (165, 166, 272, 157);
my ($SETRESUID, $SETRESGID) = $arm ? (147, 149) : (117, 119);
my ($OPEN_TREE, $MOVE_MOUNT, $MOUNT_SETATTR) = (428, 429, 442);
my ($CLONE_NEWUSER, $MS_BIND) = (0x10000000, 0x1000);
my ($PR_SET_DUMPABLE, $PR_SET_SECUREBITS, $NO_SETUID_FIXUP) = (4, 28, 4);
my $nothing = '';

sub write_to {
  my ($path, $text) = @_;
  open(my $file, '>', $path) or die "$path: $!";
  defined(syswrite($file, $text)) or die "$path: $!";
}

# Runs the work in a child, which first enters a new user namespace with a mapping that begins at an id of this one.
sub in_namespace {
  my ($first, $work) = @_;
  pipe(my $ready_out, my $ready_in) or die "pipe: $!";
  pipe(my $mapped_out, my $mapped_in) or die "pipe: $!";
  my $child = fork() // die "fork: $!";
  if (!$child) {
    close($mapped_in);
    syscall($UNSHARE, $CLONE_NEWUSER) == 0 or die "unshare: $!";
    # Otherwise the files of this process in /proc belong to the host's root, whom an inner namespace does not know.
    syscall($PRCTL, $PR_SET_DUMPABLE, 1, 0, 0, 0) == 0 or die "prctl: $!";
    syswrite($ready_in, '1');
    sysread($mapped_out, my $is_mapped, 1) or die "no mapping\n";
    syscall($SETRESGID, 0, 0, 0) == 0 or die "setresgid: $!";
    syscall($SETRESUID, 0, 0, 0) == 0 or die "setresuid: $!";
    syscall($PRCTL, $PR_SET_DUMPABLE, 1, 0, 0, 0) == 0 or die "prctl: $!";
    $work->();
    exit 0;
  }
  close($mapped_out);
  close($ready_in);
  sysread($ready_out, my $is_ready, 1) or die "no user namespace\n";
  write_to("/proc/$child/${_}_map", "0 $first $size\n") for ('uid', 'gid');
  syswrite($mapped_in, '1');
  return $child;
}

# Returns a descriptor of the inner namespace, which keeps both alive after the children that created them have ended.
sub namespace_of_machine {
  pipe(my $pid_out, my $pid_in) or die "pipe: $!";
  pipe(my $hold_out, my $hold_in) or die "pipe: $!";
  my $child = fork() // die "fork: $!";
  if (!$child) {
    close($hold_in);
    close($pid_out);
    # The privileges are kept, because some hosts restrict who may create a user namespace.
    syscall($PRCTL, $PR_SET_SECUREBITS, $NO_SETUID_FIXUP, 0, 0, 0) == 0 or die "prctl: $!";
    $> = $owner;
    $> == $owner or die "seteuid: $!";
    syscall($PRCTL, $PR_SET_DUMPABLE, 1, 0, 0, 0) == 0 or die "prctl: $!";
    my $outer = in_namespace($base, sub {
      for my $limit (@limits) {
        my ($name, $number) = $limit =~ /^(\w+)=(\d+)$/ or die "$limit is not a limit\n";
        write_to("/proc/sys/user/$name", $number);
      }
      my $inner = in_namespace(0, sub { sysread($hold_out, my $end, 1) });
      syswrite($pid_in, "$inner\n");
      close($pid_in);
      waitpid($inner, 0);
    });
    close($pid_in);
    waitpid($outer, 0);
    exit($? ? 1 : 0);
  }
  close($pid_in);
  close($hold_out);
  my $inner = <$pid_out> // die "no user namespace for the machine\n";
  chomp($inner);
  open(my $namespace, '<', "/proc/$inner/ns/user") or die "user namespace: $!";
  close($hold_in);
  waitpid($child, 0);
  return $namespace;
}

my $namespace = namespace_of_machine();
write_to($pinned, '');
my $link = '/proc/self/fd/' . fileno($namespace);
syscall($MOUNT, $link, $pinned, $nothing, $MS_BIND, $nothing) == 0 or die "bind: $!";

# OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC, then MOUNT_ATTR_IDMAP | MOUNT_ATTR_RDONLY, then MOVE_MOUNT_F_EMPTY_PATH.
my $tree = syscall($OPEN_TREE, -100, $image, 0x80001);
$tree >= 0 or die "open_tree: $!";
if ($mapped) {
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
