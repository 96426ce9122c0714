import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EngineOfHost } from '@sandglass/host'
import type { VmHost } from '@sandglass/machines/qemu-host'
import { Catalogue } from '../../modules/shapes/catalogue.ts'
import { readTable } from '../../setting-table.ts'
import { settingTable } from '../../settings.ts'
import { localSettings } from '../local/settings.ts'
import { optionsOf } from './definition.ts'
import type { QemuOptions } from './open-qemu.ts'
import { type OpenerParts, opener } from './opener.ts'
import { qemuSettings } from './settings.ts'
import { whyDisabled } from './why-disabled.ts'

const host: VmHost = { arch: 'x64', missing: [], hasTun: true }
const broken = async () =>
  ({ works: false, reason: 'it cannot run the instructions of a 64-bit kernel' }) as const
const options = optionsOf(
  readTable(localSettings, {}),
  readTable(settingTable, { SANDGLASS_DATA: '/srv/data' }),
)

/** An opener whose engine records how it was opened. */
async function openerWith(parts: Partial<OpenerParts>, isBuilt = true) {
  const opened: QemuOptions[] = []
  const installed: string[] = []
  const building = Promise.withResolvers<void>()
  const open = opener({
    options,
    choices: { vms: 'auto', acceleration: 'auto' },
    context: { shapes: await Catalogue.load(undefined), tell: () => {} },
    probe: broken,
    see: () => host,
    install: async (_tell, wanted = []) => void installed.push(...wanted.map(({ name }) => name)),
    open: async given => {
      opened.push(given)
      return {
        engine: { close: async () => {} } as Partial<EngineOfHost> as EngineOfHost,
        images: async () => [{ name: 'windows-11', os: 'windows', diskMiB: 65_536 }],
        isBuilt: async () => isBuilt,
        build: async (_image, { onProgress, signal }) => {
          if (isBuilt) return
          onProgress('copying')
          signal.addEventListener('abort', () => building.reject(new Error('aborted')))
          await building.promise
        },
        hasTemplate: async () => isBuilt,
        saveTemplate: async () => {},
        dismantle: async () => {},
      }
    },
    ...parts,
  })
  return { open, opened, installed, building }
}

test('the engine shares images, network and disk with containers, and has a folder of its own', () => {
  const { dataDir, imagesDir, ownsImages, uplink, readyTimeoutMs } = options
  assert.deepEqual(
    { dataDir, imagesDir, ownsImages, uplink, readyTimeoutMs },
    {
      dataDir: '/srv/data/qemu',
      imagesDir: '/srv/data/images',
      ownsImages: false,
      uplink: 'host',
      readyTimeoutMs: 30_000,
    },
  )
})

test('packages are installed only if the operator wants virtual machines', async () => {
  const auto = await openerWith({})
  await auto.open()
  assert.deepEqual(auto.installed, [])
  const on = await openerWith({ choices: { vms: 'on', acceleration: 'auto' } })
  await on.open()
  assert.ok(on.installed.includes('qemu-system-x86'))
})

test('machines are emulated where KVM does not work, unless the operator insists on KVM', async () => {
  const auto = await openerWith({})
  const { offer } = await auto.open()
  assert.deepEqual(
    auto.opened.map(({ acceleration, readyTimeoutMs }) => [acceleration, readyTimeoutMs]),
    [['emulation', 300_000]],
  )
  assert.match((await offer?.())?.note ?? '', /because KVM does not work here/)
  const working = await openerWith({ probe: async () => ({ works: true }) })
  const { offer: fast } = await working.open()
  assert.deepEqual(
    [
      working.opened[0]?.acceleration,
      (await fast?.())?.note,
      (await fast?.())?.shapes.map(({ name }) => name),
    ],
    ['kvm', undefined, ['windows-11']],
  )
  const insisting = await openerWith({ choices: { vms: 'auto', acceleration: 'kvm' } })
  await assert.rejects(
    insisting.open(),
    /KVM does not work here: it cannot run .* SANDGLASS_VM_ACCELERATION=auto/,
  )
  assert.deepEqual(insisting.opened, [])
})

test('a host that can run none does not open the engine', async () => {
  const { open, opened } = await openerWith({ see: () => ({ ...host, arch: 'arm64' }) })
  await assert.rejects(
    open(),
    /need x86_64, and this host has arm64\. To run without them: SANDGLASS_VMS=off/,
  )
  assert.deepEqual(opened, [])
})

test('a missing disk is built in the background, and the progress is shown beside that of images', async () => {
  const { open, opened, building } = await openerWith({}, false)
  const { prepared } = await open()
  const [{ unavailableImages, imageBuilds } = assert.fail()] = opened
  assert.match(unavailableImages?.get('desktop') ?? '', /^The virtual disk desktop is about to be built/)
  const { image, state, activity } = imageBuilds?.get('desktop') ?? {}
  assert.deepEqual([image, state, activity], ['desktop (virtual disk)', 'building', 'copying'])
  building.resolve()
  await prepared
  assert.equal(unavailableImages?.size, 0)
  assert.equal(imageBuilds?.get('desktop')?.state, 'ready')
})

test('an engine that is closed stops to build', async () => {
  const { open } = await openerWith({}, false)
  const { prepared, close } = await open()
  await close()
  await prepared
})

test('a process runs virtual machines if it may and can, and says what to do otherwise', () => {
  const why = (env: Record<string, string>, found = host) =>
    whyDisabled({ ...readTable(localSettings, env), ...readTable(qemuSettings, env) }, found)
  const bare = { ...host, missing: ['qemu-system-x86'] }
  assert.equal(why({}), undefined)
  assert.match(why({}, bare) ?? '', /need qemu-system-x86; start the service with SANDGLASS_VMS=on/)
  assert.equal(why({ SANDGLASS_VMS: 'on' }, bare), undefined)
  assert.match(why({ SANDGLASS_VMS: 'off' }) ?? '', /SANDGLASS_VMS is off/)
  assert.match(why({ SANDGLASS_VMS: 'on', SANDGLASS_MACHINES: 'none' }) ?? '', /SANDGLASS_MACHINES is none/)
  assert.match(why({}, { ...host, hasTun: false }) ?? '', /\/dev\/net\/tun/)
  assert.match(why({}, { ...host, arch: 'arm64' }) ?? '', /need x86_64/)
})
