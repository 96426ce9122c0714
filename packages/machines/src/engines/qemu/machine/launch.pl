#!/usr/bin/perl
# Opens what QEMU must not be able to open itself, and becomes the command that starts its container, which passes the
# descriptors on: 3 is the tap of the machine's network namespace. 4 is its memory, if there is some to start from, or a socket that
# receives what its guest sends to servers of DHCP.
# Usage: launch.pl NETWORK_NAMESPACE TAP MEMORY|dhcp|- COMMAND [ARGUMENT...]
# MEMORY is the path of a file.
use strict;
use warnings;
use Fcntl;
use POSIX ();

my ($namespace, $tap, $second, @command) = @ARGV;
my $SETNS = -e '/lib/ld-linux-aarch64.so.1' ? 268 : 308;
my ($CLONE_NEWNET, $TUNSETIFF, $IFF_TAP, $IFF_NO_PI, $IFF_VNET_HDR) = (0x40000000, 0x400454ca, 0x0002, 0x1000, 0x4000);

sub opened {
  my ($path, $mode) = @_;
  my $fd = POSIX::open($path, $mode) // die "$path: $!\n";
  return $fd;
}

sub enter {
  my ($fd) = @_;
  syscall($SETNS, $fd + 0, $CLONE_NEWNET) == 0 or die "setns: $!\n";
}

# Moves a descriptor to a number that is not closed by exec.
sub settle {
  my ($fd, $number) = @_;
  POSIX::dup2($fd, $number) // die "dup2: $!\n";
  POSIX::close($fd) if $fd != $number;
}

# The source is the guest's card, and the target port 67 of UDP, not in a fragment. Nothing else reaches the socket.
sub dhcp_filter {
  my @program = (
    [0x28, 12], [0x15, 0x0800], [0x30, 23], [0x15, 17], [0x28, 20], [0x45, 0x3fff], [0xb1, 14], [0x48, 16], [0x15, 67],
    [0x20, 6], [0x15, 0x52540000], [0x28, 10], [0x15, 0x0001], [0x06, 2048], [0x06, 0],
  );
  my $packed = '';
  for my $at (0 .. $#program) {
    my ($code, $value) = @{$program[$at]};
    my $to_end = $#program - $at - 1;
    my ($true, $false) = $code == 0x15 ? (0, $to_end) : $code == 0x45 ? ($to_end, 0) : (0, 0);
    $packed .= pack('S C C L', $code, $true, $false, $value);
  }
  return $packed;
}

# Frames from the tap, before the bridge sees them. The socket has its filter before it receives anything, and keeps it.
sub dhcp_socket {
  my ($SOL_SOCKET, $SO_ATTACH_FILTER, $SO_LOCK_FILTER, $SOL_PACKET, $PACKET_IGNORE_OUTGOING) = (1, 26, 44, 263, 23);
  my ($AF_PACKET, $SOCK_RAW, $ETH_P_ALL, $SIOCGIFINDEX) = (17, 3, 3, 0x8933);
  socket(my $socket, $AF_PACKET, $SOCK_RAW, 0) or die "socket: $!\n";
  my $filter = dhcp_filter();
  my $program = pack('S x![p] P', length($filter) / 8, $filter);
  setsockopt($socket, $SOL_SOCKET, $SO_ATTACH_FILTER, $program) or die "SO_ATTACH_FILTER: $!\n";
  setsockopt($socket, $SOL_SOCKET, $SO_LOCK_FILTER, pack('i', 1)) or die "SO_LOCK_FILTER: $!\n";
  setsockopt($socket, $SOL_PACKET, $PACKET_IGNORE_OUTGOING, pack('i', 1)) or die "PACKET_IGNORE_OUTGOING: $!\n";
  my $interface = pack('a16 x24', $tap);
  ioctl($socket, $SIOCGIFINDEX, $interface) or die "$tap: $!\n";
  bind($socket, pack('S n i x12', $AF_PACKET, $ETH_P_ALL, unpack('x16 i', $interface))) or die "bind: $!\n";
  return $socket;
}

# Nothing that was inherited is passed on.
POSIX::close($_) for 3 .. 63;
my $here = opened('/proc/self/ns/net', O_RDONLY);
my $there = opened($namespace, O_RDONLY);
enter($there);
sysopen(my $tun, '/dev/net/tun', O_RDWR) or die "/dev/net/tun: $!\n";
my $request = pack('a16 S x22', $tap, $IFF_TAP | $IFF_NO_PI | $IFF_VNET_HDR);
ioctl($tun, $TUNSETIFF, $request) or die "TUNSETIFF: $!\n";
my $dhcp = $second eq 'dhcp' ? dhcp_socket() : undef;
enter($here);
# Descriptors above these stay free for a moment, so that none of them is overwritten.
my $network = POSIX::dup2(fileno($tun), 20) // die "dup2: $!\n";
my $content = $dhcp ? fileno($dhcp) : $second eq '-' ? undef : opened($second, O_RDWR);
if (defined $content) { POSIX::dup2($content, 21) // die "dup2: $!\n" }
POSIX::close($_) for 3 .. 19;
settle(20, 3);
settle(21, 4) if defined $content;
exec { $command[0] } @command or die "$command[0]: $!\n";
