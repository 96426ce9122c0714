/**
 * IPv4 networks that are never part of the internet: this network, private, shared, loopback, link-local with metadata services,
 * protocol assignments, 6to4 relays, benchmarking, multicast, reserved.
 */
export const closedIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
]
