#!/usr/bin/perl
# Creates the disk of a machine from an empty one or from one that was saved, mounts it, and creates what is in it before
# its root is mounted. The folders for sockets are mounted too, because one process for everything takes a fraction of the
# time of one for each.
# Usage: create-disk.pl TEMPLATE HOW DISK ALLOCATED MOUNT OPTIONS UPPER WORK OWNER FILES TMPFS SOCKETS X11 COMMAND...
# HOW is clone, if the disk shares the content of the template, or copy. The first ALLOCATED bytes of a copy get space on
# the host now. UPPER gets a folder etc with the empty FILES, which are separated by commas; they belong to OWNER. SOCKETS
# and X11 are mounted with the options TMPFS. Then this process becomes COMMAND.
use strict;
use warnings;
use Errno qw(EBUSY ENXIO);
use Fcntl;
use Fcntl ':mode';

my ($template, $how, $disk, $allocated, $mount, $options, $upper, $work, $owner, $files, $tmpfs, $sockets, $x11, @command) = @ARGV;
my $arm = -e '/lib/ld-linux-aarch64.so.1';
my ($MOUNT, $FALLOCATE) = $arm ? (40, 47) : (165, 285);
my ($MS_NOSUID, $MS_NODEV, $MS_NOEXEC, $MS_NOATIME) = (2, 4, 8, 1024);
my ($SEEK_DATA, $SEEK_HOLE, $FICLONE) = (3, 4, 0x40049409);
my ($LOOP_CONFIGURE, $LOOP_CTL_GET_FREE, $AUTOCLEAR) = (0x4C0A, 0x4C82, 4);
my $MAX_ATTEMPTS = 1000;
umask(0);

# Only what the template contains is written, so the disk is as sparse as it was.
sub copy_disk {
  sysopen(my $from, $template, O_RDONLY) or die "$template: $!";
  sysopen(my $to, $disk, O_RDWR | O_CREAT | O_EXCL, 0600) or die "$disk: $!";
  my $size = -s $from;
  if ($how eq 'clone') {
    ioctl($to, $FICLONE, fileno($from)) or die "no space: $!";
    return $to;
  }
  truncate($to, $size) or die "$disk: $!";
  syscall($FALLOCATE, fileno($to), 0, 0, $allocated + 0) == 0 or die "no space: $!";
  my $end = 0;
  while (my $start = sysseek($from, $end, $SEEK_DATA)) {
    $start += 0;
    $end = sysseek($from, $start, $SEEK_HOLE) + 0;
    sysseek($from, $start, 0);
    sysseek($to, $start, 0);
    my $rest = $end - $start;
    while ($rest > 0) {
      my $read = sysread($from, my $bytes, $rest < 1048576 ? $rest : 1048576) or die "$template: $!";
      (syswrite($to, $bytes) // 0) == $read or die "no space: $!";
      $rest -= $read;
    }
    last if $end >= $size;
  }
  return $to;
}

# Another process may take the free device first. The device is released by the kernel when it is unmounted.
sub attach {
  my ($file) = @_;
  sysopen(my $control, '/dev/loop-control', O_RDWR) or die "/dev/loop-control: $!";
  for my $attempt (1 .. $MAX_ATTEMPTS) {
    my $number = ioctl($control, $LOOP_CTL_GET_FREE, 0) // die "no free loop device: $!";
    my $path = '/dev/loop' . ($number + 0);
    sysopen(my $device, $path, O_RDWR) or die "$path: $!";
    my $config = pack('L L x52 L Z64 x176', fileno($file), 0, $AUTOCLEAR, substr($disk, 0, 63));
    return ($path, $device) if ioctl($device, $LOOP_CONFIGURE, $config);
    $! == EBUSY || $! == ENXIO or die "$path: $!";
  }
  die "no free loop device\n";
}

# A saved disk has them. The machine that it was saved from had root, and can have made something else of them.
sub make_folder {
  my ($path, $mode, $uid) = @_;
  if (my @found = lstat($path)) {
    S_ISDIR($found[2]) or die "unfit: $path is not a folder\n";
    return;
  }
  mkdir($path, $mode) or die "$path: $!";
  chown($uid, $uid, $path) == 1 or die "$path: $!";
}

# Nothing that is removed is followed. A folder that is in the way is emptied by the machine itself.
sub remove_entry {
  my ($path) = @_;
  my @found = lstat($path) or return;
  S_ISDIR($found[2]) ? die "unfit: $path is a folder\n" : unlink($path) || die "$path: $!";
}

my ($path, $device) = attach(copy_disk());
my $ext4 = 'ext4';
syscall($MOUNT, $path, $mount, $ext4, $MS_NODEV | $MS_NOATIME, $options) == 0 or die "mount $disk: $!";
make_folder($work, 0755, 0);
make_folder($upper, 0755, $owner);
make_folder("$upper/etc", 0755, $owner);
for my $name (split(/,/, $files)) {
  remove_entry("$upper/etc/$name");
  sysopen(my $file, "$upper/etc/$name", O_WRONLY | O_CREAT | O_EXCL, 0644) or die "$name: $!";
  chown($owner, $owner, $file) == 1 or die "$name: $!";
}
my ($kind, $source) = ('tmpfs', 'sandglass-sockets');
for my $folder ($sockets, $x11) {
  mkdir($folder, 0755) or die "$folder: $!";
  my $flags = $MS_NOSUID | $MS_NODEV | $MS_NOEXEC;
  syscall($MOUNT, $source, $folder, $kind, $flags, $tmpfs) == 0 or die "mount $folder: $!";
}
exec(@command) or die "$command[0]: $!";
