import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setEncodings, setPixelFormat } from './client-messages.ts'
import { encodingsFor } from './encodings.ts'
import type { RfbErrorCode } from './rfb-error.ts'
import { RfbError } from './rfb-error.ts'
import { ascii, join, u8, u16, u32 } from './testing/bytes.ts'
import { record } from './testing/recording.ts'
import { greeting, serverInit, text } from './testing/server.ts'

const fails = (code: RfbErrorCode, message: RegExp) => (error: unknown) =>
  error instanceof RfbError && error.code === code && message.test(error.message)

const clientRequests = join(setPixelFormat(), setEncodings(encodingsFor('raw')))

describe('the handshake', () => {
  it('succeeds with a 3.8 server', () => {
    const { client, events, sent } = record()
    client.receive(ascii('RFB 003.008\n'))
    assert.deepEqual(sent(), ascii('RFB 003.008\n'))
    client.receive(u8(3, 2, 16, 1))
    assert.deepEqual(sent(), u8(1))
    client.receive(u32(0))
    assert.deepEqual(sent(), u8(1))
    client.receive(serverInit(3, 2))
    assert.deepEqual(sent(), clientRequests)
    assert.deepEqual(events, [{ type: 'ready', width: 3, height: 2, name: 'test' }])
    assert.equal(client.framebuffer.pixels.length, 24)
  })

  it('succeeds with a 3.7 server, which sends no result for None', () => {
    const { client, events, sent } = record()
    client.receive(join(ascii('RFB 003.007\n'), u8(1, 1), serverInit(3, 2)))
    assert.deepEqual(sent(), join(ascii('RFB 003.007\n'), u8(1, 1), clientRequests))
    assert.deepEqual(events, [{ type: 'ready', width: 3, height: 2, name: 'test' }])
  })

  it('succeeds with a 3.3 server, which chooses the security type itself', () => {
    const { client, events, sent } = record({ shared: false })
    client.receive(join(ascii('RFB 003.003\n'), u32(1), serverInit(3, 2)))
    assert.deepEqual(sent(), join(ascii('RFB 003.003\n'), u8(0), clientRequests))
    assert.deepEqual(events, [{ type: 'ready', width: 3, height: 2, name: 'test' }])
  })

  for (const [theirs, ours] of [
    ['003.889', '003.008'],
    ['004.001', '003.008'],
    ['003.005', '003.003'],
  ])
    it(`answers ${ours} to a server that says ${theirs}`, () => {
      const { client, sent } = record()
      client.receive(ascii(`RFB ${theirs}\n`))
      assert.deepEqual(sent(), ascii(`RFB ${ours}\n`))
    })

  it('reads the desktop name as UTF-8', () => {
    const { client, events } = record()
    client.receive(greeting(1, 1, String.fromCharCode(0xc3, 0xbc)))
    assert.deepEqual(events, [{ type: 'ready', width: 1, height: 1, name: 'ü' }])
  })

  it('requests R, G, B and padding in memory, and the encodings in order of preference', () => {
    const { client, sent } = record({ prefer: 'zrle' })
    client.receive(greeting(1, 1))
    const own = sent().subarray(12 + 1 + 1)
    assert.deepEqual(
      own.subarray(0, 20),
      u8(0, 0, 0, 0, 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0),
    )
    const numbers = [1, 16, 0, -223, -224, -239, -258, -308, -312, -313, -314, 0x574d5666, -1063131698]
    assert.deepEqual(own.subarray(20), join(u8(2, 0), u16(numbers.length), u32(...numbers)))
  })

  it('requests the given encodings', () => {
    const { client, sent } = record({ encodings: [0] })
    client.receive(greeting(1, 1))
    assert.deepEqual(sent().subarray(34), u8(2, 0, 0, 1, 0, 0, 0, 0))
  })
})

describe('the handshake fails', () => {
  const v38 = ascii('RFB 003.008\n')
  const cases: readonly [what: string, bytes: Uint8Array, code: RfbErrorCode, message: RegExp][] = [
    ['when the server does not speak RFB', ascii('SSH-2.0-Open'), 'MALFORMED', /"SSH-2.0-Open"/],
    ['when the server is older than 3.3', ascii('RFB 003.002\n'), 'UNSUPPORTED', /3\.2; 3\.3, 3\.7 and 3\.8/],
    [
      'and lists what is offered instead of None',
      join(v38, u8(2, 2, 99)),
      'UNSUPPORTED',
      /2 \(VNC auth.*\), 99;/,
    ],
    ['when 3.3 wants a password', join(ascii('RFB 003.003\n'), u32(2)), 'UNSUPPORTED', /VNC authentication/],
    ['with the reason of a 3.8 server', join(v38, u8(0), text('go away')), 'REFUSED', /go away/],
    ['with the reason of a 3.3 server', join(ascii('RFB 003.003\n'), u32(0), text('no')), 'REFUSED', /no$/],
    ['with the security result', join(v38, u8(1, 1), u32(1), text('too many')), 'REFUSED', /too many/],
    ['if the reason is too long', join(v38, u8(0), u32(0xffffffff)), 'LIMIT', /4294967295 bytes/],
    ['if the desktop exceeds the limit', greeting(101, 100), 'LIMIT', /101x100 pixels; at most 10000/],
    ['if the name exceeds the limit', greeting(1, 1, 'x'.repeat(21)), 'LIMIT', /21 bytes; at most 20/],
  ]
  for (const [what, bytes, code, message] of cases)
    it(what, () => {
      const { client, events } = record({ maxPixels: 10_000, maxTextBytes: 20 })
      assert.throws(() => client.receive(bytes), fails(code, message))
      assert.deepEqual(events, [])
    })
})
