#!/usr/bin/perl
# Passes frames between two network interfaces, each after the same delay, for kernels without netem.
#   slow-link.pl INDEX INDEX MILLISECONDS
use strict;
use warnings;
use Socket;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

use constant { AF_PACKET => 17, ETH_P_ALL => 3, SOL_PACKET => 263, PACKET_VNET_HDR => 15, PACKET_IGNORE_OUTGOING => 23 };

my ($first, $second, $delay) = @ARGV;
my @sockets = map { open_socket($_) } $first, $second;
my @queues = ([], []);
$| = 1;
print "up\n";
for (;;) {
    my $now = clock_gettime(CLOCK_MONOTONIC);
    my $wait;
    for my $from (0, 1) {
        my $queue = $queues[$from];
        # A frame that cannot be sent is lost, as on any network.
        send $sockets[1 - $from], (shift @$queue)->[1], 0 while @$queue && $queue->[0][0] <= $now;
        next unless @$queue;
        my $left = $queue->[0][0] - $now;
        $wait = $left if !defined $wait || $left < $wait;
    }
    my $ready = '';
    vec($ready, fileno STDIN, 1) = 1;
    vec($ready, fileno $_, 1) = 1 for @sockets;
    next unless select($ready, undef, undef, $wait) > 0;
    exit if vec($ready, fileno STDIN, 1);
    my $due = clock_gettime(CLOCK_MONOTONIC) + $delay / 1000;
    for my $from (0, 1) {
        next unless vec($ready, fileno $sockets[$from], 1);
        push @{ $queues[$from] }, [$due, $_] while defined($_ = receive($sockets[$from]));
    }
}

sub receive {
    my ($socket) = @_;
    my $frame;
    return defined recv($socket, $frame, 131_072, MSG_DONTWAIT) && length $frame ? $frame : undef;
}

# The header before each frame carries its checksum and segmentation offloads, which must reach the other side.
sub open_socket {
    my ($index) = @_;
    socket my $socket, AF_PACKET, SOCK_RAW, unpack('S', pack 'n', ETH_P_ALL) or die "socket: $!\n";
    setsockopt $socket, SOL_PACKET, PACKET_VNET_HDR, pack('i', 1) or die "vnet header: $!\n";
    setsockopt $socket, SOL_PACKET, PACKET_IGNORE_OUTGOING, pack('i', 1) or die "ignore outgoing: $!\n";
    setsockopt $socket, SOL_SOCKET, SO_RCVBUF, pack('i', 8 << 20);
    bind $socket, pack('S n i S C C a8', AF_PACKET, ETH_P_ALL, $index, 0, 0, 0, '') or die "bind: $!\n";
    return $socket;
}
