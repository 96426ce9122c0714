#!/usr/bin/perl
# Deletes the tracked connections of this network namespace that carry MARK, using ctnetlink
# (linux/netfilter/nfnetlink_conntrack.h): one IPCTNL_MSG_CT_DELETE with a mark and its mask, which the kernel treats
# as a filter.
# Usage: forget-flows.pl MARK
use strict;
use warnings;

my ($mark) = @ARGV;
my ($AF_NETLINK, $SOCK_RAW, $NETLINK_NETFILTER, $AF_INET) = (16, 3, 12, 2);
my ($CT_DELETE, $REQUEST_AND_ACK, $CTA_MARK, $CTA_MARK_MASK) = (1 << 8 | 2, 5, 8, 21);

my $body = pack('C C n', $AF_INET, 0, 0) . pack('S S N', 8, $CTA_MARK, $mark) . pack('S S N', 8, $CTA_MARK_MASK, 0xffffffff);
socket(my $netlink, $AF_NETLINK, $SOCK_RAW, $NETLINK_NETFILTER) or die "netlink: $!";
send($netlink, pack('L S S L L', 16 + length $body, $CT_DELETE, $REQUEST_AND_ACK, 1, 0) . $body, 0) or die "send: $!";
defined recv($netlink, my $answer, 8192, 0) or die "recv: $!";
my (undef, undef, undef, undef, undef, $error) = unpack('L S S L L l', $answer);
$! = -$error;
$error == 0 or die "the kernel refused: $!\n";
