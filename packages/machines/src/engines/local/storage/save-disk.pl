#!/usr/bin/perl
# Saves the disk of a machine as it is at one moment, and prints for how many milliseconds nothing could be written to it.
# Usage: save-disk.pl DISK COPY HOW [MOUNT]
# HOW is clone, if the file system can, or copy. MOUNT is where the disk is mounted, if it is. What is in memory is written
# before the moment, so that the moment is short.
use strict;
use warnings;
use Fcntl;

my ($disk, $copy, $how, $mount) = @ARGV;
my $arm = -e '/lib/ld-linux-aarch64.so.1';
my ($SYNCFS, $FDATASYNC, $CLOCK_GETTIME) = $arm ? (267, 83, 113) : (306, 75, 228);
my $CLOCK_MONOTONIC = 1;
my ($FICLONE, $FIFREEZE, $FITHAW) = (0x40049409, 0xC0045877, 0xC0045878);

sysopen(my $from, $disk, O_RDONLY) or die "$disk: $!";
sysopen(my $to, $copy, O_RDWR | O_CREAT | O_TRUNC, 0600) or die "$copy: $!";
my $mounted;
if (defined $mount) {
  sysopen($mounted, $mount, O_RDONLY | O_DIRECTORY) or die "$mount: $!";
}

sub write_out {
  if ($mounted) { syscall($SYNCFS, fileno($mounted)) == 0 or die "syncfs: $!" }
  syscall($FDATASYNC, fileno($from)) == 0 or die "fdatasync: $!";
}

sub save {
  # What the disk does not contain is not written either.
  return system('cp', '--sparse=always', '--', $disk, $copy) == 0 || die "no space: cp failed\n" if $how eq 'copy';
  ioctl($to, $FICLONE, fileno($from)) or die "no space: $!";
}

sub now_ms {
  my $time = pack('q2', 0, 0);
  syscall($CLOCK_GETTIME, $CLOCK_MONOTONIC, $time) == 0 or die "clock_gettime: $!";
  my ($seconds, $nanoseconds) = unpack('q2', $time);
  return $seconds * 1000 + $nanoseconds / 1e6;
}

# Whoever ends this process must not leave the machine frozen.
$SIG{$_} = 'IGNORE' for qw(INT TERM HUP PIPE);
write_out();
my $began = now_ms();
if ($mounted) { ioctl($mounted, $FIFREEZE, 0) or die "freeze: $!" }
my $failure = eval { save(); 1 } ? undef : $@;
if ($mounted) { ioctl($mounted, $FITHAW, 0) or die "thaw: $!" }
die $failure if defined $failure;
printf("%.1f\n", now_ms() - $began);
