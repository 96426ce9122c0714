import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { waitFor } from '../../../testing/wait-for.ts'
import { debianPackages, installMissing } from '../../local/host/debian-packages.ts'
import { runCommand } from '../../local/host/run-command.ts'
import { vmPackages } from '../host/packages.ts'
import { leaseOf } from '../machine/network.ts'
import { guestMac, TestDhcp } from './test-dhcp.ts'

const busybox = { name: 'busybox-static', file: '/bin/busybox', why: 'asks for an address' }
const [discover, request, inform] = [1, 3, 8]
const [offer, acknowledged, refused] = [2, 5, 6]
const address = Buffer.from([198, 18, 0, 8])
const gateway = Buffer.from([198, 19, 255, 254])

type Option = readonly [number, Uint8Array]

interface Question {
  readonly kind: number
  readonly options?: readonly Option[]
  readonly mac?: string
  readonly from?: Buffer
  readonly port?: number
}

/** The frame of a request. A client that has an address sends it to the card of its gateway. */
function frameOf({
  kind,
  options = [],
  mac = guestMac,
  from = Buffer.alloc(4),
  port = 67,
}: Question): Buffer {
  const card = Buffer.from(mac, 'hex')
  const bytes = [[53, Buffer.from([kind])] as const, ...options].map(([number, value]) =>
    Buffer.concat([Buffer.from([number, value.length]), value]),
  )
  const head = Buffer.alloc(236)
  head.set([1, 1, 6])
  head.set([1, 2, 3, 4], 4)
  head.set(from, 12)
  head.set(card, 28)
  const message = Buffer.concat([head, Buffer.from('63825363', 'hex'), ...bytes, Buffer.from([255])])
  const udp = Buffer.alloc(8)
  udp.writeUInt16BE(68)
  udp.writeUInt16BE(port, 2)
  udp.writeUInt16BE(8 + message.length, 4)
  const packet = Buffer.from('4500000000000000401100000000000000000000', 'hex')
  packet.writeUInt16BE(28 + message.length, 2)
  packet.fill(255, 16)
  const target = Buffer.from(from.some(byte => byte !== 0) ? '020000000001' : 'ffffffffffff', 'hex')
  return Buffer.concat([target, card, Buffer.from('0800', 'hex'), packet, udp, message])
}

/** The kind of an answer, the address that it gives, and its options. */
function readAnswer(frame: Buffer) {
  const message = frame.subarray(42)
  const options = new Map<number, string>()
  for (let at = 240; message[at] !== 255; at += 2 + (message[at + 1] ?? 0))
    options.set(message[at] ?? 0, message.subarray(at + 2, at + 2 + (message[at + 1] ?? 0)).toString('hex'))
  return {
    kind: Number.parseInt(options.get(53) ?? '', 16),
    given: [...message.subarray(16, 20)].join('.'),
    options,
  }
}

describe('the DHCP server of a machine without our agent', { timeout: 300_000 }, () => {
  let dhcp: TestDhcp
  before(async () => {
    await installMissing([...debianPackages, ...vmPackages, busybox])
    dhcp = await TestDhcp.start(leaseOf({ egress: 'internet' }, 7) ?? '')
  })
  after(() => dhcp?.[Symbol.asyncDispose]())

  const answerTo = async (question: Question) => {
    using frames = await dhcp.frames()
    frames.send(frameOf(question))
    await waitFor(() => frames.answers.length > 0)
    return readAnswer(frames.answers[0] ?? Buffer.alloc(0))
  }

  it('gives a common client its address, its gateway and a name server', async () => {
    const given = await dhcp.ask()
    const names = ['ip', 'subnet', 'router', 'dns', 'lease', 'serverid']
    assert.deepEqual(
      names.map(name => given.get(name)),
      ['198.18.0.8', '255.254.0.0', '198.19.255.254', '198.19.255.254', '86400', '198.19.255.254'],
    )
  })

  it('refuses an address that the guest had elsewhere, and gives it its own', async () => {
    const given = await dhcp.ask('-r', '198.18.0.99')
    assert.equal(given.get('ip'), '198.18.0.8')
    const elsewhere = Buffer.from([198, 18, 0, 99])
    const renewed = await answerTo({ kind: request, from: elsewhere })
    assert.deepEqual([renewed.kind, renewed.given], [refused, '0.0.0.0'])
    assert.deepEqual([...renewed.options.keys()], [53, 54])
  })

  it('offers, acknowledges and informs, with no other options', async () => {
    const offered = await answerTo({ kind: discover })
    assert.deepEqual([offered.kind, offered.given], [offer, '198.18.0.8'])
    assert.deepEqual([...offered.options.keys()], [53, 54, 1, 3, 6, 51])
    const chosen = await answerTo({
      kind: request,
      options: [
        [50, address],
        [54, gateway],
      ],
    })
    assert.deepEqual([chosen.kind, chosen.given], [acknowledged, '198.18.0.8'])
    const renewed = await answerTo({ kind: request, from: address })
    assert.deepEqual([renewed.kind, renewed.given], [acknowledged, '198.18.0.8'])
    const informed = await answerTo({ kind: inform, from: address })
    assert.deepEqual([informed.kind, informed.given], [acknowledged, '0.0.0.0'])
    assert.deepEqual([...informed.options.keys()], [53, 54, 1, 3, 6])
  })

  it('answers nobody else, and no client that has chosen another server', async () => {
    using frames = await dhcp.frames()
    frames.send(frameOf({ kind: discover, mac: '525400000002' }))
    frames.send(frameOf({ kind: discover, port: 69 }))
    frames.send(
      frameOf({
        kind: request,
        options: [
          [50, address],
          [54, address],
        ],
      }),
    )
    for (const kind of [4, 7, 9, 255]) frames.send(frameOf({ kind }))
    // It answers in order, so an answer to any of the others would come first.
    frames.send(frameOf({ kind: inform, from: address }))
    await waitFor(() => frames.answers.length > 0)
    assert.equal(readAnswer(frames.answers[0] ?? Buffer.alloc(0)).options.has(51), false)
    assert.equal(frames.answers.length, 1)
  })

  it('goes on after frames that are damaged in any place, and after more than it reads', async () => {
    using frames = await dhcp.frames()
    const whole = frameOf({
      kind: request,
      options: [
        [50, address],
        [54, gateway],
      ],
    })
    for (let length = 14; length < whole.length; length += 7) frames.send(whole.subarray(0, length))
    for (let round = 0; round < 2000; round++) {
      const damaged = Buffer.from(whole)
      for (const [place = 0, value = 0] of [...randomBytes(8)].map(byte => [(byte * 7) % 40, byte]))
        damaged[(round % 2 === 0 ? 14 : whole.length - 40) + place] = value
      frames.send(damaged)
    }
    for (const end of ['35', '3501', '32ff01', `${'00'.repeat(1000)}`, '35020101', '3500']) {
      const cut = Buffer.concat([whole.subarray(0, 282), Buffer.from(end, 'hex')])
      cut.writeUInt16BE(cut.length - 14, 16)
      cut.writeUInt16BE(cut.length - 34, 38)
      frames.send(cut)
    }
    assert.equal((await dhcp.ask()).get('ip'), '198.18.0.8')
    assert.ok(dhcp.runs)
  })

  it('leaves the network of the machine without any address', async () => {
    const shown = await runCommand('nsenter', [`--net=${dhcp.machine}`, 'ip', '-brief', 'address'])
    const addresses = shown.split('\n').flatMap(line => line.trim().split(/\s+/).slice(2))
    assert.deepEqual(addresses, ['127.0.0.1/8'])
    const listening = await runCommand('nsenter', [
      `--net=${dhcp.machine}`,
      'cat',
      '/proc/net/udp',
      '/proc/net/tcp',
    ])
    assert.equal(listening.trim().split('\n').length, 2)
  })
})

it('has no name server where names are not resolved, and there is no lease without a network', async () => {
  const lease = leaseOf({ egress: [{ cidr: '203.0.113.0/24' }] }, 7)
  assert.equal(lease, '198.18.0.8,198.19.255.254,-')
  assert.equal(leaseOf({ egress: [{ host: 'example.com' }] }, 7), '198.18.0.8,198.19.255.254,198.19.255.254')
  assert.equal(leaseOf({ egress: 'none' }, 7), undefined)
  await using dhcp = await TestDhcp.start(lease)
  const given = await dhcp.ask()
  assert.deepEqual([given.get('ip'), given.get('dns')], ['198.18.0.8', undefined])
})
