import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { waitFor } from '@sandglass/machines/testing'
import { build } from '../../../testing/build-image.ts'
import { cleanup } from '../../../testing/cleanup.ts'
import { exportImage, importImage } from '../../../testing/image-files.ts'
import { runInSandbox } from '../../../testing/run-in-sandbox.ts'
import { startMachineService } from '../../../testing/test-machines.ts'

const machines = await startMachineService()
const { service, engine } = machines
const folder = await mkdtemp(join(tmpdir(), 'sandglass-image-file-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))

/** Does not block, because connections that the service closes meanwhile would be used again. */
const run = promisify(execFile)

const noMachines = () => waitFor(async () => (await engine.list()).length === 0)
const images = async () => (await service.get('~/machine-images')).body.images

/** One file of every kind that a machine can have, and files of the base that were changed and removed. */
const everyKind = `
set -e
mkdir -p /opt/kinds/folder; cd /opt/kinds
echo first > first; ln first second; ln -s /etc/hostname symlink; mkfifo pipe
truncate -s 20M sparse; echo end >> sparse
echo bits > setuid; chown 1000:1000 setuid; chmod 4755 setuid; chmod 1777 folder
touch "$(printf 'not \\377\\376 utf-8')" "$(printf 'n%.0s' $(seq 255))"
python3 -c 'import os; os.setxattr("first", "user.note", bytes([0, 255, 65]))'
touch -d '2001-02-03 04:05:06.789012345' first
echo changed >> /etc/issue; rm /etc/debian_version
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("/opt/kinds/socket")'
`

/** Describes everything that was made, so that two machines can be compared. */
const describe = `cd /opt/kinds; LC_ALL=C
find . ! -type s -printf '%P %y %m %U:%G %s %T@ %n %l\\n' | sort | grep -av '^ d'
python3 -c 'import os; print(os.getxattr("first", "user.note"))'
stat -c %b sparse | awk '{ print ($1 < 1000 ? "sparse" : "full") }'
[ first -ef second ] && echo linked
sha256sum sparse first /etc/issue; ls /etc/debian_version 2>&1; echo $FLAVOUR`

async function describeImage(imageId: string): Promise<string> {
  const { body } = await service.post('~/sandboxes/from-image', {
    imageId,
    name: 'copy',
    maxLifeSeconds: 600,
    wait: 60,
  })
  assert.equal(body.sandbox.status, 'RUNNING', body.sandbox.reason)
  const described = await runInSandbox(machines, body.sandbox.id, describe)
  await service.remove(`~/sandboxes/${body.sandbox.id}`)
  await noMachines()
  return described
}

const events = await build(service, {
  from: { shapeName: 'small' },
  steps: [{ run: everyKind }, { env: { FLAVOUR: 'vanilla' } }],
  name: 'every kind',
  description: 'For export.',
})
const last = events.at(-1)
assert.ok(last?.event === 'finished', JSON.stringify(last))
const imageId = last.image.id
const exported = await exportImage(service, imageId)
const file = Buffer.from(await exported.arrayBuffer())

test('an image is exported as an OCI image layout that other tools can read', async () => {
  assert.equal(exported.status, 200, file.toString('utf8', 0, 500))
  assert.equal(Number(exported.headers.get('content-length')), file.length)
  await noMachines()
  await writeFile(join(folder, 'image.tar'), file)
  await run('tar', ['-xf', join(folder, 'image.tar'), '-C', folder])
  const read = async (path: string) => JSON.parse(await readFile(join(folder, path), 'utf8'))
  const blob = ({ digest }: { digest: string }) => `blobs/${digest.replace(':', '/')}`
  assert.deepEqual(await read('oci-layout'), { imageLayoutVersion: '1.0.0' })
  const [described] = (await read('index.json')).manifests
  const manifest = await read(blob(described))
  const config = await read(blob(manifest.config))
  assert.equal(manifest.annotations['dev.sandglass.shape'], 'small')
  assert.deepEqual(config.config.Env, ['FLAVOUR=vanilla'])
  for (const name of await readdir(join(folder, 'blobs/sha256')))
    assert.equal(sha256(await readFile(join(folder, 'blobs/sha256', name))), name)
  const layer = join(folder, blob(manifest.layers[0]))
  const options = { maxBuffer: 2 ** 31, encoding: 'buffer' } as const
  const { stdout: content } = await run('gzip', ['-dc', layer], options)
  assert.equal(`sha256:${sha256(content)}`, config.rootfs.diff_ids[0])
  const { stdout: listed } = await run('tar', ['-tzf', layer], options)
  const names = listed.toString().split('\n')
  assert.ok(
    names.includes('opt/kinds/sparse') && names.includes('usr/bin/python3') && names.includes('proc/'),
  )
  assert.ok(!names.includes('opt/kinds/socket'))
  assert.deepEqual(
    names.filter(name => /^(proc|sys|dev|run|tmp)\/./.test(name)),
    [],
  )
})

test('an image that is imported has the same files as the one that was exported, and its disk only the difference', async () => {
  const before = await describeImage(imageId)
  assert.match(before, /linked/)
  const { status, body: image } = await importImage(service, file, { name: 'imported' })
  assert.equal(status, 200, JSON.stringify(image))
  assert.deepEqual([image.status, image.shapeName, image.description], ['READY', 'small', 'For export.'])
  await noMachines()
  assert.equal(await describeImage(image.id), before)
  const changed = (await images()).find((one: { id: string }) => one.id === imageId).sizeMiB
  assert.ok(image.sizeMiB < changed + 50, `${image.sizeMiB} MiB, and ${changed} MiB before the export`)
})

test('a file that is damaged, cut off or something else is refused, and leaves nothing', async () => {
  const count = (await images()).length
  const disks = (await engine.snapshots.list()).length
  const damaged = Buffer.from(file)
  damaged[damaged.length - 100_000] = (damaged[damaged.length - 100_000] ?? 0) ^ 1
  const bad: [string, Buffer, RegExp][] = [
    ['damaged', damaged, /damaged/],
    ['cut', file.subarray(0, file.length - 300_000), /ends too early/],
    ['other', Buffer.from('not an image'.repeat(100)), /header is damaged/],
    ['empty', Buffer.alloc(0), /ends too early/],
    ['hollow', Buffer.alloc(1024), /oci-layout is missing/],
  ]
  for (const [name, body, message] of bad) {
    const { status, body: answer } = await importImage(service, body, { name })
    assert.deepEqual([status, answer.code], [400, 'image.FILE'], JSON.stringify(answer))
    assert.match(answer.message, message)
  }
  assert.equal((await images()).length, count)
  assert.equal((await engine.snapshots.list()).length, disks)
  assert.deepEqual(await engine.list(), [])
})

test('an image whose files do not fit into an archive says why, and leaves no machine', async () => {
  const name = "'d' * 250"
  const script = `cd /srv && python3 -c "import os\nfor _ in range(20): os.mkdir(${name}); os.chdir(${name})"`
  const steps = [{ run: script }]
  const made = (await build(service, { from: { shapeName: 'small' }, steps, name: 'deep' })).at(-1)
  assert.ok(made?.event === 'finished', JSON.stringify(made))
  const refused = await exportImage(service, made.image.id)
  const body = JSON.parse(await refused.text())
  assert.deepEqual([refused.status, body.code], [409, 'image.UNREADABLE'], body.message)
  assert.match(body.message, /longer than 4096 bytes/)
  await noMachines()
})

test('the image of another organization cannot be exported', async () => {
  const other = await service.otherOrganization()
  const { status } = await service.get(`/api/orgs/${other.orgId}/machine-images/${imageId}/export`, {
    key: other.apiKey,
  })
  assert.equal(status, 404)
})

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
