import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { builtImage } from '../../../testing/build-image.ts'
import { exportImage, importImage } from '../../../testing/image-files.ts'
import { runInSandbox } from '../../../testing/run-in-sandbox.ts'
import { RunningSandbox } from '../../../testing/running-sandbox.ts'
import { startMachineService } from '../../../testing/test-machines.ts'
import { imageFileWith, layerOf, type RawEntry, rawEntry } from './testing/archives.ts'
import { hostileFiles } from './testing/hostile-files.ts'
import { hostileLayers, outside, pieces } from './testing/hostile-layers.ts'
import { openSpoolFiles } from './testing/spool-files.ts'

const MiB = 1024 * 1024
const machines = await startMachineService()
const { service, engine } = machines

/** The host's own files, which an entry could name. */
const ofHost = ['/etc/passwd', '/etc/hostname']
const readHost = () => Promise.all(ofHost.map(path => readFile(path, 'utf8').catch(() => '')))
const hostBefore = await readHost()

/** Fails if an import has left an image, a machine, a saved disk, or something in the spool, or has changed the host. */
async function requireNothing(disks = 0): Promise<void> {
  assert.deepEqual((await service.get('~/machine-images?scope=org')).body.images.length, disks)
  await waitFor(async () => (await engine.list()).length === 0)
  await waitFor(async () => (await engine.snapshots.list()).length === disks)
  assert.deepEqual(await openSpoolFiles(service.folder), [])
  assert.deepEqual(await readHost(), hostBefore)
  assert.ok(!existsSync('/etc/escaped') && !existsSync(join(service.folder, 'escaped')))
}

test('a file that is damaged, lies or misleads is refused with the reason before a machine is started', async () => {
  for (const [what, { file, says }] of Object.entries(hostileFiles)) {
    const { status, body } = await importImage(service, file, { name: 'hostile' })
    assert.deepEqual([status, body.code], [400, 'image.FILE'], `${what}: ${JSON.stringify(body)}`)
    assert.match(body.message, says, what)
  }
  await requireNothing()
})

test('the sender of a file that does not end gets the reason although it still sends', async () => {
  const { url, credentials } = service.service
  const many = Buffer.concat(Array.from({ length: 1000 }, () => rawEntry({ name: 'x', type: '5' })))
  const answer = await new Promise<string>((resolve, reject) => {
    const sending = request(`${url}${service.expand('~/machine-images/import')}?name=endless`, {
      method: 'POST',
      headers: { 'x-api-key': credentials.apiKey, 'content-type': 'application/octet-stream' },
    })
    const send = () => {
      while (!sending.destroyed && sending.write(many));
    }
    sending.on('drain', send).on('error', reject)
    sending.on('response', response => {
      text(response)
        .then(resolve, reject)
        .finally(() => sending.destroy())
    })
    send()
  })
  assert.match(answer, /too many entries/)
  await requireNothing()
})

test('a layer cannot lead out of the folder that it is restored to, and is refused with the reason if it is no archive', async () => {
  const { machine, id } = await RunningSandbox.start(machines)
  await using _end = { [Symbol.asyncDispose]: async () => void (await service.delete(`~/sandboxes/${id}`)) }
  const program = machine.guest.archive?.read
  assert.ok(program)
  const asRoot = async (args: readonly string[], input: Buffer) => {
    const child = await machine.exec({ executable: args[0] ?? '', args: args.slice(1), user: 'root' })
    const sending = pipeline(Readable.from([input]), child.stdin).catch(() => {})
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), sending])
    return { stdout, stderr, ...(await child.exited) }
  }
  const shell = async (script: string) => (await asRoot(['sh', '-c', script], Buffer.alloc(0))).stdout.trim()
  const describeOutside = `cd ${outside}; find . -printf '%p %y %m %U %s %T@ %n\n'; cat kept; sha256sum /etc/passwd`
  await shell(`mkdir ${outside}; echo kept > ${outside}/kept`)
  const before = await shell(describeOutside)
  for (const [what, { layer, says, script, prints }] of Object.entries(hostileLayers)) {
    await shell('rm -rf /srv/tree; mkdir /srv/tree; echo old > /srv/tree/old')
    const args = [program.executable, ...(program.args ?? []), '/srv/tree']
    const { code, stderr } = await asRoot(args, layer)
    if (says) {
      assert.notEqual(code, 0, what)
      const lines = stderr.trim().split('\n')
      assert.match(lines.at(-1) ?? '', says, `${what}: ${stderr}`)
      assert.equal(lines.length, 1, `${what}: ${stderr}`)
    } else {
      assert.equal(code, 0, `${what}: ${stderr}`)
      assert.equal(await shell(`cd /srv/tree; ${script}`), prints, what)
    }
    assert.equal(await shell(describeOutside), before, what)
  }
})

test('a layer that leads out, has more than a disk takes, or unpacks to more than it can, leaves nothing', async () => {
  const tiny = Array.from({ length: 40_000 }, (_, number) => ({ name: `srv/${number % 100}/${number}` }))
  const layers: [string, Buffer, RegExp][] = [
    ['traversal', layerOf([{ name: '../../../etc/escaped', content: 'x' }]), /path with "\.\."/],
    ['tiny files', layerOf(tiny), /disk of the machine is too small/],
    [
      'bomb',
      pieces(rawEntry({ name: 'srv/bomb', size: 800 * MiB }), 800 * MiB),
      /disk of the machine is too small/,
    ],
  ]
  for (const [name, layer, says] of layers) {
    const { status, body } = await importImage(service, imageFileWith(layer), { name })
    assert.deepEqual([status, body.code], [400, 'image.FILE'], `${name}: ${JSON.stringify(body)}`)
    assert.match(body.message, says, name)
    await requireNothing()
  }
})

/** What can be in an image, and stays inside the machines that are created from it. */
const nasty: RawEntry[] = [
  { name: 'srv/passwd', type: '2', link: '../../../../../../../../etc/passwd' },
  { name: 'srv/host', type: '2', link: '/proc/1/root' },
  { name: 'srv/below/first', content: 'x' },
  { name: 'srv/below', type: '2', link: '/etc' },
  { name: 'srv/below/escaped', content: 'inside' },
  { name: '/srv/absolute', content: 'inside' },
  { name: 'srv/root-shell', content: '#!/bin/sh\n', mode: 0o6755 },
  { name: 'srv/null', type: '3' },
  { name: 'srv/pipe', type: '6' },
  { name: 'srv/.wh.passwd', content: '' },
  { name: Buffer.from('srv/\xff\xfe', 'latin1'), content: 'x' },
  { name: `srv/${'n'.repeat(255)}`, content: 'x' },
  { name: 'proc/escaped', content: 'x' },
  { name: 'dev/escaped', type: '3' },
  { name: 'etc', type: '2', link: '/home/user' },
]

test('an image with all of that is confined to its machines', async () => {
  const imageId = await builtImage(service)
  await waitFor(async () => (await engine.list()).length === 0)
  const response = await exportImage(service, imageId)
  assert.equal(response.status, 200)
  const exported = Buffer.from(await response.arrayBuffer())
  const tar = join(service.folder, 'exported.tar')
  await writeFile(tar, exported)
  const list = execFileSync('tar', ['-tvf', tar], { encoding: 'utf8' }).trim().split('\n')
  const largest = list.sort((a, b) => Number(b.split(/\s+/)[2]) - Number(a.split(/\s+/)[2]))[0] ?? ''
  const name = largest.split(/\s+/).at(-1) ?? ''
  const layer = execFileSync('tar', ['-xOf', tar, name], { maxBuffer: 2 ** 30 })
  const both = Buffer.concat([layerOf(nasty, { isWhole: false }), layer])
  const note = { 'dev.sandglass.shape': 'small', 'org.opencontainers.image.description': 'a\0b' }
  const imported = await importImage(service, imageFileWith(both, { manifest: { annotations: note } }), {
    name: 'nasty',
  })
  assert.deepEqual([imported.status, imported.body.description], [200, 'ab'], JSON.stringify(imported.body))
  const from = { imageId: imported.body.id, name: 'copy', maxLifeSeconds: 600, wait: 60 }
  const { body } = await service.post('~/sandboxes/from-image', from)
  assert.equal(body.sandbox.status, 'RUNNING', body.sandbox.reason)
  const script = `cd /srv; stat -c '%F %a' below root-shell pipe; cat absolute below/escaped; ls -a | wc -l
    ls null /etc/escaped /proc/escaped /dev/escaped 2>/dev/null
    grep -c ^user: passwd; find / -xdev '(' -type b -o -type c ')' 2>/dev/null | grep -v ^/dev`
  assert.deepEqual((await runInSandbox(machines, body.sandbox.id, script)).split('\n'), [
    'directory 755',
    'regular file 6755',
    'fifo 644',
    'insideinside11',
    '1',
  ])
  await service.remove(`~/sandboxes/${body.sandbox.id}`)
  await requireNothing(2)
})

test('an export keeps nothing when its caller has left', async () => {
  const [image] = (await service.get('~/machine-images')).body.images
  const leaving = new AbortController()
  const left = exportImage(service, image.id, undefined, leaving.signal)
  await waitFor(async () => (await openSpoolFiles(service.folder)).length === 1)
  leaving.abort()
  await assert.rejects(left)
  await requireNothing(2)
})

test('an organization sends few files at once, and others are not affected', async () => {
  const end = Promise.withResolvers<void>()
  async function* slowly(): AsyncGenerator<Uint8Array> {
    yield rawEntry({ name: 'x', size: 4 * MiB })
    await end.promise
  }
  const slow = [1, 2].map(number => importImage(service, slowly(), { name: `slow ${number}` }))
  await waitFor(async () => (await openSpoolFiles(service.folder)).length === 2)
  const file = imageFileWith(layerOf([]), { without: ['index.json'] })
  const third = await importImage(service, file, { name: 'third' })
  assert.deepEqual([third.status, third.body.code], [429, 'image.TOO_MANY_FILES'])
  const other = await importImage(service, file, { name: 'other', by: await service.otherOrganization() })
  assert.deepEqual([other.status, other.body.code], [400, 'image.FILE'])
  end.resolve()
  for (const { status, body } of await Promise.all(slow))
    assert.match(`${status} ${body.message}`, /^400 .*ends too early/)
  assert.equal((await importImage(service, file, { name: 'fourth' })).status, 400)
  await requireNothing(2)
})
