#!/usr/bin/perl
# Connects to ports in the network namespaces of machines and passes the sockets to the service, so that no other
# process is between them. Reads one line per request: ID PID START ADDRESS PORT. Answers on Node's IPC channel
# (NODE_CHANNEL_FD), in the format by which Node passes handles, or with {"id": ID, "error": ERRNO}.
use strict;
use warnings;
use Fcntl qw(F_GETFL F_SETFL O_NONBLOCK);
use Socket qw(PF_INET SOCK_STREAM IPPROTO_TCP TCP_NODELAY inet_aton pack_sockaddr_in);

my ($SENDMSG, $SETNS) = -e '/lib/ld-linux-aarch64.so.1' ? (211, 268) : (46, 308);
my $CLONE_NEWNET = 0x40000000;
my ($SOL_SOCKET, $SCM_RIGHTS) = (1, 1);
# Shorter than the timeout of the service, so that a guest which does not accept the connection is not mistaken for a
# hung dialer.
my $TIMEOUT_SECONDS = 4;

open(my $channel, '+<&=', $ENV{NODE_CHANNEL_FD}) or die "channel: $!";
$SIG{CHLD} = 'IGNORE';

# Sends one struct msghdr with the text and, if given, the descriptor as SCM_RIGHTS.
sub answer {
  my ($text, $descriptor) = @_;
  my $vector = pack('P Q', $text, length $text);
  my $control = defined $descriptor ? pack('Q l l l x4', 20, $SOL_SOCKET, $SCM_RIGHTS, $descriptor) : '';
  my $message = pack('Q L x4 P Q P Q l x4', 0, 0, $vector, 1, $control, length $control, 0);
  syscall($SENDMSG, fileno($channel), $message, 0) >= 0 or die "sendmsg: $!";
}

# The namespace is opened before the start time is read: if the start time matches, the namespace belongs to the
# machine.
sub dial {
  my ($pid, $start, $address, $port) = @_;
  open(my $namespace, '<', "/proc/$pid/ns/net") or return undef;
  open(my $stat, '<', "/proc/$pid/stat") or return undef;
  my $line = <$stat>;
  my @fields = split ' ', substr($line, rindex($line, ')') + 2);
  if ($fields[19] ne $start) { $! = 3; return undef }
  syscall($SETNS, fileno($namespace), $CLONE_NEWNET) == 0 or return undef;
  socket(my $socket, PF_INET, SOCK_STREAM, IPPROTO_TCP) or return undef;
  setsockopt($socket, IPPROTO_TCP, TCP_NODELAY, 1);
  connect($socket, pack_sockaddr_in($port, inet_aton($address))) or return undef;
  # Node uses the socket as it is. A blocking socket would make a read, and with it the whole service, wait for the
  # guest.
  fcntl($socket, F_SETFL, fcntl($socket, F_GETFL, 0) | O_NONBLOCK) or return undef;
  return $socket;
}

while (1) {
  my $waiting = '';
  vec($waiting, fileno($_), 1) = 1 for (*STDIN, $channel);
  select($waiting, undef, undef, undef) < 0 and next;
  # Node acknowledges each handle, which can be ignored here.
  if (vec($waiting, fileno($channel), 1)) { sysread($channel, my $thanks, 65536) or exit 0 }
  next unless vec($waiting, fileno(STDIN), 1);
  our $held //= '';
  sysread(STDIN, $held, 65536, length $held) or exit 0;
  while ($held =~ s/^(\d+) (\d+) (\d+) ([\d.]+) (\d+)\n//) {
    my ($id, @to) = ($1, $2, $3, $4, $5);
    my $child = fork();
    next if $child;
    # A guest whose queue is full blocks only this child process.
    alarm($TIMEOUT_SECONDS) if defined $child;
    $SIG{ALRM} = sub { answer(qq({"id":$id,"error":110}\n)); exit 0 };
    my $socket = defined $child ? dial(@to) : undef;
    my $why = $! + 0;
    if ($socket) { answer(qq({"cmd":"NODE_HANDLE","type":"net.Native","msg":{"id":$id}}\n), fileno($socket)) }
    else { answer(qq({"id":$id,"error":$why}\n)) }
    exit 0 if defined $child;
  }
}
