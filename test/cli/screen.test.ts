import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { decode } from 'fast-png'
import { decode as decodeSixel } from 'sixel'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { RunningSandbox } from '../../packages/server/src/testing/running-sandbox.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { CommandLine } from '../support/command-line.ts'

const machines = await startMachineService()
const { service } = machines
const box = await RunningSandbox.start(machines)
const cli = await CommandLine.for(service)
const folder = await mkdtemp(join(tmpdir(), 'sandglass-screen-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))
const { width, height } = await sizeOfScreen()

async function sizeOfScreen(): Promise<{ width: number; height: number }> {
  const { body } = await service.post(`~/sandboxes/${box.id}/preview`, { includeImage: true })
  return body.image
}

test('a screenshot is a file of the size of the screen, in the format of its name', async () => {
  const png = await cli.run(['screenshot', box.id, '-o', 'screen.png', '--settle', '50'], '', folder)
  assert.equal(png.exitCode, 0, png.stderr)
  const decoded = decode(await readFile(join(folder, 'screen.png')))
  assert.deepEqual([decoded.width, decoded.height], [width, height])
  await cli.run(['screenshot', box.id, '-o', 'screen.webp', '-q'], '', folder)
  assert.match(
    (await readFile(join(folder, 'screen.webp'))).subarray(0, 12).toString('latin1'),
    /^RIFF.{4}WEBP$/s,
  )
  assert.deepEqual((await readdir(folder)).sort(), ['screen.png', 'screen.webp'])
  const piped = await cli.run(['screenshot', box.id])
  assert.equal(decode(piped.stdout).width, width)
})

const readable = (text: string) => text.replaceAll('\x1b', '<ESC>').replaceAll('\x07', '<BEL>')

test('terminals are sent the picture in their own way', async () => {
  const shown = async (protocol: string) =>
    (await cli.run(['screenshot', box.id, '--inline', protocol])).stdout.toString('latin1')
  const kitty = [...readable(await shown('kitty')).matchAll(/<ESC>_G([^;]*);([^<]*)<ESC>\\/g)]
  assert.match(kitty[0]?.[1] ?? '', /^a=T,f=100,.*m=/)
  assert.ok(kitty.every(([, , data = '']) => data.length <= 4096))
  const pngOf = (base64: string) => decode(Buffer.from(base64, 'base64'))
  const fromKitty = pngOf(kitty.map(([, , data]) => data).join(''))
  assert.deepEqual([fromKitty.width, fromKitty.height], [width, height])
  const iterm = /<ESC>\]1337;File=inline=1;[^:]*:([^<]*)<BEL>/.exec(readable(await shown('iterm')))
  assert.equal(pngOf(iterm?.[1] ?? '').width, width)
  const [, , , data = ''] = /^(.*)P([\d;]*)q(.*?)<ESC>/s.exec(readable(await shown('sixel'))) ?? []
  const sixel = decodeSixel(data)
  assert.deepEqual([sixel.width, sixel.height], [width, height])
})

test('a terminal that says that it can show pictures is shown one, and others are given the URL', async () => {
  await using kitty = cli.terminal(['screenshot', box.id], { env: { TERM: 'xterm-kitty' } })
  assert.equal(await kitty.exited, 0)
  assert.match(kitty.shown, /_Ga=T/)
  await using plain = cli.terminal(['screenshot', box.id])
  assert.equal(await plain.exited, 0)
  const { status, headers } = await fetch(plain.shown.trim())
  assert.deepEqual([status, headers.get('content-type')], [200, 'image/png'])
})

test('events are lines of JSON, also as they happen, and a history ends with its sandbox', async () => {
  const past = await cli.run(['events', box.id, '-o', 'json'])
  const events = past.stdout
    .toString()
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.equal(events[0].type, 'sandbox.created')
  assert.ok(events.every(({ subject }) => subject === box.id))
  const { body } = await service.post('~/sandboxes', { shapeName: 'small' })
  const following = cli.run(['logs', body.id, '--follow', '-o', 'json'])
  const link = await cli.run(['view', body.id, '--read-only', '-o', 'json'])
  assert.match(JSON.parse(link.stdout.toString()).url, /\/view#/)
  await service.delete(`~/sandboxes/${body.id}`)
  const followed = (await following).stdout
    .toString()
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line).type)
  assert.deepEqual([followed[0], followed.at(-1)], ['sandbox.created', 'sandbox.deleted'])
})
