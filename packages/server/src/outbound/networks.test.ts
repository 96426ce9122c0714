import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DiallableNetworks } from './networks.ts'
import { OwnAddresses } from './own-addresses.ts'

const none = new DiallableNetworks([])

const notDiallable: Record<string, readonly string[]> = {
  'this network': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1'],
  'link-local, with the metadata of clouds': ['169.254.169.254', 'fe80::1', 'febf::1', 'fd00:ec2::254'],
  'shared by carriers': ['100.64.0.1', '100.127.255.255'],
  'for protocols and benchmarks': ['192.0.0.8', '192.88.99.1', '198.18.0.1', '198.19.255.255'],
  'multicast, reserved, broadcast': ['224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255', 'ff02::1'],
  'IPv4 in IPv6': ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::127.0.0.1', '::8.8.8.8'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::1'],
  '6to4 and Teredo': ['2002:7f00:1::', '2002:808:808::1', '2001::1', '2001:0:53aa:64c:0:0:80ff:fffe'],
  'documentation and discard': ['2001:db8::1', '3fff::1', '100::1'],
  'site-local, and given to nobody': ['fec0::1', '4000::1', 'e000::1'],
}

for (const [kind, addresses] of Object.entries(notDiallable))
  test(`not diallable: ${kind}`, () => {
    for (const address of addresses) assert.equal(none.has(address), false, address)
  })

test('public addresses are diallable, up to the boundaries of reserved networks', () => {
  const open = ['1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255']
  const more = ['128.0.0.1', '169.253.255.255', '172.15.255.255', '172.32.0.0', '192.167.255.255']
  const six = ['2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450:4001::1', '2003::1']
  for (const address of [...open, ...more, '223.255.255.255', ...six])
    assert.equal(none.has(address), true, address)
})

test('networks that the operator allowed are diallable, and no others', () => {
  const some = new DiallableNetworks(['10.1.0.0/16', 'fd12:3456::/32'])
  assert.deepEqual(
    ['10.1.2.3', '10.2.0.1', '127.0.0.1', 'fd12:3456::9', 'fd12:3457::9'].map(address => some.has(address)),
    [true, false, false, true, false],
  )
})

test("the host's own addresses are not diallable, even if they are public, unless the operator allowed them", async t => {
  let own = ['203.0.113.7', '2606:4700::7']
  const addresses = new OwnAddresses(() => own)
  const networks = new DiallableNetworks([], addresses)
  assert.deepEqual(
    ['203.0.113.7', '203.0.113.8', '2606:4700::7', '2606:4700:0:0::0007', '2606:4700::8'].map(address =>
      networks.has(address),
    ),
    [false, true, false, false, true],
  )
  assert.equal(new DiallableNetworks(['203.0.113.7/32'], addresses).has('203.0.113.7'), true)

  own = ['203.0.113.9']
  const later = performance.now() + 60_000
  t.mock.method(performance, 'now', () => later)
  assert.deepEqual([networks.has('203.0.113.7'), networks.has('203.0.113.9')], [true, false])
})

test('without a list of its own, it knows the addresses of the interfaces of this host', () => {
  const own = new OwnAddresses()
  assert.deepEqual([own.has('127.0.0.1'), own.has('203.0.113.9')], [true, false])
})
