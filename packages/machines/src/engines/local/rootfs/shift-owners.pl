#!/usr/bin/perl
# Adds BASE to the owner and group of everything below FOLDER, for hosts without idmapped mounts.
# Modes are set again, because changing the owner clears setuid bits. File capabilities are not kept.
# Usage: shift-owners.pl FOLDER BASE
use strict;
use warnings;

my ($top, $base) = @ARGV;
my $LCHOWN = -e '/lib/ld-linux-aarch64.so.1' ? 54 : 94;

sub shift_owner {
  my ($path) = @_;
  my @found = lstat($path) or die "$path: $!";
  my ($mode, $uid, $gid) = @found[2, 4, 5];
  if (-l _) {
    # fchownat with AT_SYMLINK_NOFOLLOW on arm64, lchown on x86_64.
    my $done = $LCHOWN == 94
      ? syscall(94, $path, $uid + $base, $gid + $base)
      : syscall(54, -100, $path, $uid + $base, $gid + $base, 0x100);
    $done == 0 or die "$path: $!";
    return;
  }
  chown($uid + $base, $gid + $base, $path) or die "$path: $!";
  chmod($mode & 07777, $path) or die "$path: $!";
  return unless ($mode & 0170000) == 0040000;
  opendir(my $folder, $path) or die "$path: $!";
  my @names = grep { $_ ne '.' && $_ ne '..' } readdir($folder);
  closedir($folder);
  shift_owner("$path/$_") for @names;
}

shift_owner($top);
