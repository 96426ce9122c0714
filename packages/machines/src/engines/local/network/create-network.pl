#!/usr/bin/perl
# Creates the network namespace of a machine in its user namespace, and binds it to a file. With an address, also
# creates the link between it and the router. It talks to the kernel itself (rtnetlink), because starting ip twice takes
# longer than all of this.
# Usage: create-network.pl USER_NAMESPACE NAMESPACE [ROUTER LINK ADDRESS GATEWAY]
# USER_NAMESPACE and ROUTER are files of namespaces; NAMESPACE is created.
use strict;
use warnings;
use Fcntl;
use Socket qw(inet_aton);

my ($user_namespace, $namespace, $router, $link, $address, $gateway) = @ARGV;
my $arm = -e '/lib/ld-linux-aarch64.so.1';
my ($MOUNT, $UNSHARE, $SETNS) = $arm ? (40, 97, 268) : (165, 272, 308);
my ($CLONE_NEWUSER, $CLONE_NEWNET, $MS_BIND) = (0x10000000, 0x40000000, 0x1000);
my ($AF_INET, $AF_NETLINK, $SOCK_RAW, $SOCK_DGRAM) = (2, 16, 3, 2);
my ($RTM_NEWLINK, $RTM_NEWADDR, $RTM_NEWROUTE, $NLMSG_ERROR) = (16, 20, 24, 2);
my ($REQUEST_ACK, $CREATE_EXCL) = (5, 0x600);
my ($IFLA_IFNAME, $IFLA_LINKINFO, $IFLA_NET_NS_FD, $INFO_KIND, $INFO_DATA, $VETH_PEER) = (3, 18, 28, 1, 2, 1);
my ($IFA_ADDRESS, $IFA_LOCAL, $RTA_DST, $RTA_OIF, $RTA_GATEWAY) = (1, 2, 1, 4, 5);
my ($RT_MAIN, $RTPROT_BOOT, $SCOPE_LINK, $SCOPE_UNIVERSE, $UNICAST) = (254, 3, 253, 0, 1);
my ($IFF_UP, $SIOCGIFINDEX) = (1, 0x8933);
my $nothing = '';

sub opened {
  my ($path) = @_;
  sysopen(my $file, $path, O_RDONLY) or die "$path: $!";
  return $file;
}

sub enter {
  my ($file, $kind) = @_;
  syscall($SETNS, fileno($file), $kind) == 0 or die "setns: $!";
}

# The child creates the namespace, because a process cannot leave a user namespace that it has entered.
sub new_namespace {
  my ($user) = @_;
  pipe(my $ready_out, my $ready_in) or die "pipe: $!";
  pipe(my $hold_out, my $hold_in) or die "pipe: $!";
  my $child = fork() // die "fork: $!";
  if (!$child) {
    close($hold_in);
    enter($user, $CLONE_NEWUSER);
    syscall($UNSHARE, $CLONE_NEWNET) == 0 or die "unshare: $!";
    syswrite($ready_in, '1');
    sysread($hold_out, my $end, 1);
    exit 0;
  }
  close($ready_in);
  sysread($ready_out, my $is_ready, 1) or die "no network namespace\n";
  my $file = opened("/proc/$child/ns/net");
  close($hold_in);
  waitpid($child, 0);
  return $file;
}

sub attribute {
  my ($type, $value) = @_;
  return pack('S S a* x!4', 4 + length $value, $type, $value);
}

# Sends one request and dies unless the kernel acknowledges it.
sub request {
  my ($socket, $what, $type, $flags, $body) = @_;
  my $message = pack('L S S L L a*', 16 + length $body, $type, $REQUEST_ACK | $flags, 1, 0, $body);
  defined(send($socket, $message, 0)) or die "$what: $!";
  defined(recv($socket, my $answer, 65536, 0)) or die "$what: $!";
  my ($kind, $error) = (unpack('L S S L L l', $answer))[1, 5];
  $kind == $NLMSG_ERROR or die "$what: unexpected answer $kind\n";
  return if $error == 0;
  $! = -$error;
  die "$what: $!";
}

sub netlink {
  socket(my $socket, $AF_NETLINK, $SOCK_RAW, 0) or die "netlink: $!";
  return $socket;
}

sub bring_up {
  my ($socket, $name) = @_;
  my $body = pack('C x S l L L', 0, 0, 0, $IFF_UP, $IFF_UP) . attribute($IFLA_IFNAME, "$name\0");
  request($socket, "up $name", $RTM_NEWLINK, 0, $body);
}

sub index_of {
  my ($name) = @_;
  socket(my $socket, $AF_INET, $SOCK_DGRAM, 0) or die "socket: $!";
  my $interface = pack('a16 x24', $name);
  ioctl($socket, $SIOCGIFINDEX, $interface) or die "index of $name: $!";
  return unpack('x16 l', $interface);
}

# Without a destination, it is the default route.
sub add_route {
  my ($socket, $index, $destination, $via) = @_;
  my $scope = defined $via ? $SCOPE_UNIVERSE : $SCOPE_LINK;
  my $length = defined $destination ? 32 : 0;
  my $body = pack('C8 L', $AF_INET, $length, 0, 0, $RT_MAIN, $RTPROT_BOOT, $scope, $UNICAST, 0);
  $body .= attribute($RTA_DST, inet_aton($destination)) if defined $destination;
  $body .= attribute($RTA_GATEWAY, inet_aton($via)) if defined $via;
  $body .= attribute($RTA_OIF, pack('L', $index));
  request($socket, 'route', $RTM_NEWROUTE, $CREATE_EXCL, $body);
}

sub disable_ipv6 {
  for my $path (map { "/proc/sys/net/ipv6/conf/$_/disable_ipv6" } ('all', 'default')) {
    next unless -e $path;
    open(my $file, '>', $path) or die "$path: $!";
    print $file '1';
    close($file) or die "$path: $!";
  }
}

my $network = new_namespace(opened($user_namespace));
my $router_network = defined $router ? opened($router) : undef;
sysopen(my $pinned, $namespace, O_WRONLY | O_CREAT, 0600) or die "$namespace: $!";
my $path = '/proc/self/fd/' . fileno($network);
syscall($MOUNT, $path, $namespace, $nothing, $MS_BIND, $nothing) == 0 or die "bind: $!";

enter($network, $CLONE_NEWNET);
disable_ipv6();
my $inside = netlink();
bring_up($inside, 'lo');
exit 0 unless defined $router_network;

enter($router_network, $CLONE_NEWNET);
my $outside = netlink();
my $empty = pack('C x S l L L', 0, 0, 0, 0, 0);
my $peer = $empty . attribute($IFLA_IFNAME, "eth0\0") . attribute($IFLA_NET_NS_FD, pack('L', fileno($network)));
my $data = attribute($INFO_KIND, 'veth') . attribute($INFO_DATA, attribute($VETH_PEER, $peer));
my $pair = $empty . attribute($IFLA_IFNAME, "$link\0") . attribute($IFLA_LINKINFO, $data);
request($outside, "link $link", $RTM_NEWLINK, $CREATE_EXCL, $pair);
bring_up($outside, $link);
add_route($outside, index_of($link), $address);

enter($network, $CLONE_NEWNET);
my $eth0 = index_of('eth0');
my $own = attribute($IFA_LOCAL, inet_aton($address)) . attribute($IFA_ADDRESS, inet_aton($address));
request($inside, 'address', $RTM_NEWADDR, $CREATE_EXCL, pack('C C C C L', $AF_INET, 32, 0, 0, $eth0) . $own);
bring_up($inside, 'eth0');
add_route($inside, $eth0, $gateway);
add_route($inside, $eth0, undef, $gateway);
