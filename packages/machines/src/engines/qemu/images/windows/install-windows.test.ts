import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { waitFor } from '../../../../testing/index.ts'
import { diskFolder, MiB } from '../test-disks.ts'
import {
  type Expected,
  type InstallOptions,
  installWindows,
  requireInstalled,
  type WindowsInstallation,
} from './install-windows.ts'
import { installTestPackages, standInEdition, standInVirtio, standInWindows } from './test-media.ts'

// Windows cannot be installed in tests. The shell of UEFI stands in for it: it reports and shuts down as Windows would.

const expected: Expected = { firmware: 'uefi', neededMiB: 16, writtenMiB: 0 }
/** Longer than the firmware takes on a busy host. */
const patient = 10 * 60_000

before(installTestPackages)

interface StandIn {
  readonly folder: string
  readonly imagesDir: string
  readonly lines: string[]
  install(
    o?: Partial<InstallOptions>,
    changed?: Partial<WindowsInstallation>,
  ): ReturnType<typeof installWindows>
}

async function standIn(folder: string, script: readonly string[]): Promise<StandIn> {
  const [iso, virtio] = [await standInWindows(folder, script), await standInVirtio(folder)]
  // The machine is another user, who cannot open it.
  await chmod(iso, 0o600)
  const imagesDir = join(folder, 'images')
  const lines: string[] = []
  const asked = { name: 'windows-11', iso, virtio, edition: standInEdition, locale: 'en-US', user: 'user' }
  return {
    folder,
    imagesDir,
    lines,
    install: (o, changed) =>
      installWindows(
        { ...asked, diskMiB: 64, memoryMiB: 256, ...changed },
        {
          imagesDir,
          reserveDiskMiB: 0,
          accelerator: 'tcg',
          timeLimitMs: patient,
          expected,
          tell: line => lines.push(line),
          ...o,
        },
      ),
  }
}

const leftIn = async (folder: string) => (await readdir(folder)).filter(name => !name.endsWith('.lock'))

test('a system that sets itself up and shuts down becomes an image, one at a time', async () => {
  await using folder = await diskFolder()
  const done = ['setup', 'specialize', 'first-logon', 'drivers', 'agent', 'ready']
  const { install, imagesDir, lines } = await standIn(folder.path, [
    ...done.map(phase => `echo sandglass: ${phase}`),
    'reset -s',
  ])
  const running = install()
  await Promise.race([running, waitFor(() => lines.length > 0)])
  await assert.rejects(install({}, { name: 'another' }), /Another installation is running/)
  const { image, folder: stored } = await running
  assert.deepEqual(
    { ...image, digest: '' },
    {
      version: 1,
      name: 'windows-11',
      digest: '',
      os: 'windows',
      firmware: 'uefi',
      agent: 'qemu-guest-agent',
      diskMiB: 64,
      devices: 'virtio',
      memoryMiB: 256,
    },
  )
  assert.deepEqual((await readdir(stored)).sort(), ['disk.raw', 'tpm', 'vars.fd', 'vm.json'])
  assert.deepEqual(await readdir(join(stored, 'tpm')), ['tpm2-00.permall'])
  for (const name of ['disk.raw', 'tpm', 'vars.fd']) assert.equal((await stat(join(stored, name))).uid, 0)
  assert.ok(
    lines.some(line => line.endsWith('The guest agent is installed and runs.')),
    lines.join('\n'),
  )
  assert.deepEqual(await leftIn(imagesDir), [stored.slice(imagesDir.length + 1)])
})

test('a system that shuts down too early, or says that it failed, becomes no image', async () => {
  await using folder = await diskFolder()
  const early = await standIn(folder.path, ['echo sandglass: setup', 'reset -s'])
  await assert.rejects(early.install(), /shut down before Windows was set up\. Windows Setup has started\./)
  const failed = await standIn(folder.path, ['echo sandglass: failed: no drivers', 'reset -s'])
  await assert.rejects(failed.install(), /Windows was installed, but not set up: no drivers/)
  const empty = await standIn(folder.path, ['echo sandglass: ready', 'reset -s'])
  await assert.rejects(
    empty.install({ expected: { ...expected, writtenMiB: 8 } }),
    /its disk has only 0 MiB and does not look like an installed Windows/,
  )
  assert.deepEqual(await leftIn(empty.imagesDir), [])
})

test('a system that never shuts down is given up, with a picture of its screen', async () => {
  await using folder = await diskFolder()
  const { install, imagesDir } = await standIn(folder.path, ['echo sandglass: setup'])
  const picture = join(imagesDir, 'vm-windows-11-screen.png')
  await assert.rejects(install({ timeLimitMs: 4000 }), ({ message }: Error) => {
    assert.match(message, /The machine did not shut down within .* minutes\./)
    assert.ok(
      message.includes(`${picture} shows its screen. If it only needs longer, add --minutes.`),
      message,
    )
    return true
  })
  assert.equal((await readFile(picture)).toString('latin1', 1, 4), 'PNG')
  assert.deepEqual(await leftIn(imagesDir), ['vm-windows-11-screen.png'])
})

test('an aborted installation leaves nothing', async () => {
  await using folder = await diskFolder()
  const { install, imagesDir } = await standIn(folder.path, [])
  const abort = new AbortController()
  const running = install({ signal: abort.signal })
  const state = join(imagesDir, 'vm-windows-11.part/tpm/tpm2-00.permall')
  await Promise.race([running, waitFor(() => existsSync(state))])
  abort.abort(new Error('enough'))
  await assert.rejects(running)
  assert.deepEqual(await leftIn(imagesDir), [])
})

test('media that cannot work are refused at once', async () => {
  await using folder = await diskFolder()
  const { install } = await standIn(folder.path, [])
  const none = join(folder.path, 'none.iso')
  await assert.rejects(install({}, { iso: none }), /There is no file .*none\.iso/)
  await assert.rejects(
    install({}, { virtio: import.meta.filename }),
    /is not the image of a CD\. Give --virtio/,
  )
  await assert.rejects(
    install({}, { edition: 'Windows 10 Pro' }),
    /has no \/viostor\/w10\/amd64\/viostor\.inf.*current virtio-win\.iso/,
  )
  await assert.rejects(install({}, { edition: 'Windows 7' }), /not known which drivers/)
  await assert.rejects(
    install({ reserveDiskMiB: 2 ** 40 }),
    /MiB free, and the image needs .*SANDGLASS_DISK_RESERVE/,
  )
})

test('a disk counts as installed if enough is written to it, and it has partitions for UEFI', async () => {
  await using folder = await diskFolder()
  const path = join(folder.path, 'disk')
  const disk = await open(path, 'w')
  try {
    await disk.truncate(64 * MiB)
    await disk.write(Buffer.alloc(4 * MiB, 'x'), 0, 4 * MiB, 8 * MiB)
    await disk.sync()
    await assert.rejects(requireInstalled(path, 4), /does not look like an installed Windows/)
    await disk.write('EFI PART', 512)
    await disk.sync()
    await requireInstalled(path, 4)
    await assert.rejects(requireInstalled(path, 16), /has only 4 MiB/)
  } finally {
    await disk.close()
  }
})
