import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readClusterArguments } from './cluster-arguments.ts'
import { interfaceAddresses, ownAddress } from './own-address.ts'

test('addresses have a port, and may be of either family', () => {
  for (const [given, meant] of [
    ['10.0.0.1', '10.0.0.1:8443'],
    ['10.0.0.1:9000', '10.0.0.1:9000'],
    ['fd00::1', '[fd00::1]:8443'],
    ['[fd00::1]:9000', '[fd00::1]:9000'],
  ] as const) {
    const chosen = readClusterArguments(['init', '--address', given])
    assert.equal(chosen.action === 'init' && chosen.address, meant)
  }
})

test('an image is pushed by its name, and the desktop without one', () => {
  assert.deepEqual(readClusterArguments(['push']), { action: 'push', image: 'desktop' })
  assert.deepEqual(readClusterArguments(['push', 'minimal']), { action: 'push', image: 'minimal' })
})

test('what is wrong with a command is said in a sentence, before the usage', () => {
  const refused: readonly (readonly [args: string[], RegExp])[] = [
    [
      ['start'],
      /^There is no command "start"; use help, init, token, join, push, status, drain, return, leave\./,
    ],
    [['init', 'box'], /^init takes nothing but options\./],
    [['join'], /^join needs TOKEN, and nothing else\./],
    [['token', 'a b'], /^A member has a name of letters, digits and hyphens; this is "a b"\./],
    [['leave', 'a', 'b'], /^leave needs \[NAME\], and nothing else\./],
    [['init', '--address', 'box.example.org'], /^--address must be an IP address, or IP:PORT/],
    [['init', '--address', '10.0.0.1:99999'], /^--address must be/],
    [['init', '--storage', 'ceph'], /^--storage must be btrfs, zfs, dir; it is "ceph"\./],
    [['init', '--size', '1.5'], /^--size must be a whole number of GiB, at least 5/],
    [['join', 'T', '--storage', 'dir'], /^Unknown option '--storage'/],
  ]
  for (const [args, message] of refused)
    assert.throws(
      () => readClusterArguments(args),
      (error: Error) => message.test(error.message) && error.message.includes('npm run cluster -- init'),
      args.join(' '),
    )
  assert.deepEqual(readClusterArguments([]), { action: 'help' })
})

const lo = { address: '127.0.0.1', cidr: '127.0.0.1/8', internal: true } as const
const lan = { address: '10.0.0.1', cidr: '10.0.0.1/24', internal: false } as const
const rest = { netmask: '', mac: '', family: 'IPv4' } as const

test('a box with one address needs no --address', () => {
  const one = { lo: [{ ...rest, ...lo }], eth0: [{ ...rest, ...lan }] }
  assert.equal(ownAddress(8443, one), '10.0.0.1:8443')
  assert.deepEqual(interfaceAddresses(one), [
    { address: '127.0.0.1', prefix: 8 },
    { address: '10.0.0.1', prefix: 24 },
  ])
  const two = { ...one, eth1: [{ ...rest, ...lan, address: '10.1.0.1' }] }
  assert.throws(
    () => ownAddress(8443, two),
    /has the addresses 10\.0\.0\.1, 10\.1\.0\.1\. Say with --address/,
  )
  assert.throws(() => ownAddress(8443, {}), /no address but its own loopback/)
})
