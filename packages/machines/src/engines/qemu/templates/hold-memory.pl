#!/usr/bin/perl
# Holds the memory of a template for machines that start from it: a copy that nobody can change any more, not even a process that
# has it open for writing, as QEMU does. Prints the descriptor when it is ready, and ends with its input.
# Usage: hold-memory.pl FILE
use strict;
use warnings;
use Fcntl qw(:DEFAULT :seek);

my ($path) = @ARGV;
my ($MEMFD_CREATE, $FALLOCATE) = -e '/lib/ld-linux-aarch64.so.1' ? (279, 47) : (319, 285);
my ($MFD_ALLOW_SEALING, $F_ADD_SEALS, $ALL_SEALS) = (2, 1033, 0xf);
my ($SEEK_DATA, $SEEK_HOLE, $CHUNK) = (3, 4, 4 << 20);

my $name = "sandglass-template\0";
my $fd = syscall($MEMFD_CREATE, $name, $MFD_ALLOW_SEALING);
die "memfd_create: $!\n" if $fd < 0;
open(my $memory, '+<&=', $fd) or die "memory: $!\n";
sysopen(my $file, $path, O_RDONLY) or die "$path: $!\n";
my $size = -s $file;
truncate($memory, $size) or die "truncate: $!\n";
# A machine that writes where there is nothing yet would fill that part here first, and pay for it besides its own copy: it would
# be killed for using more than it has.
syscall($FALLOCATE, $fd, 0, 0, $size) == 0 or die "the host has no memory for $size bytes: $!\n";
my $at = 0;
while (defined(my $begin = sysseek($file, $at, $SEEK_DATA))) {
  my $end = sysseek($file, $begin, $SEEK_HOLE);
  sysseek($file, $begin, SEEK_SET);
  sysseek($memory, $begin, SEEK_SET);
  while ($begin < $end) {
    my $wanted = $end - $begin < $CHUNK ? $end - $begin : $CHUNK;
    my $count = sysread($file, my $content, $wanted) or die "$path: cannot be read\n";
    syswrite($memory, $content) == $count or die "memory: $!\n";
    $begin += $count;
  }
  $at = $end;
}
fcntl($memory, $F_ADD_SEALS, $ALL_SEALS) or die "seal: $!\n";
$| = 1;
print "$fd\n";
sysread(STDIN, my $end, 1);
