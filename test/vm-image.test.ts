import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { smallDisk, waitFor } from '@sandglass/machines/testing'
import { readVmImage } from '@sandglass/machines/vm-images'
import {
  installTestPackages,
  standInVirtio,
  standInWindows,
} from '../packages/machines/src/engines/qemu/images/windows/test-media.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { temporaryFolder } from './support/service-process.ts'

const script = new URL('../packages/server/src/vm-image.ts', import.meta.url).pathname

before(installTestPackages)

/** Starts the command as npm does, for an operator who is in a folder of their own. */
function start(folder: string, data: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [script, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      INIT_CWD: folder,
      SANDGLASS_DATA: data,
      SANDGLASS_DISK_RESERVE: '16',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function outcome(child: ChildProcess) {
  assert.ok(child.stdout && child.stderr)
  const printed = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await once(child, 'exit')
  return { code, printed: (await printed).join('') }
}

const run = (folder: string, data: string, ...args: string[]) => outcome(start(folder, data, args))

async function makeDisk(path: string): Promise<void> {
  const file = await open(path, 'w')
  await file.truncate(32 * 1024 * 1024)
  const sector = Buffer.alloc(512)
  sector.writeUInt16BE(0x55aa, 510)
  await file.write(sector)
  await file.close()
}

test('an operator adds a disk with one command, sees it in the list, and removes it', async () => {
  const folder = await temporaryFolder()
  const data = join(folder, 'data')
  await makeDisk(join(folder, 'disk.img'))
  const empty = await run(folder, data, 'list')
  assert.deepEqual([empty.code, /There are no images of virtual machines/.test(empty.printed)], [0, true])
  const options = ['--os', 'other', '--agent', 'qemu-guest-agent', '--memory', '512', '--firmware', 'uefi']
  const added = await run(folder, data, 'add', 'my-disk', 'disk.img', ...options)
  assert.equal(added.code, 0, added.printed)
  assert.match(added.printed, /Copied 100%/)
  assert.match(added.printed, /a shape that has "engine": "qemu" and "image": "my-disk"/)
  const [name = ''] = (await readdir(join(data, 'images'))).filter(one => !one.endsWith('.lock'))
  // The service makes the folder with this mode, and what is in it is private.
  assert.equal((await stat(join(data, 'images'))).mode & 0o777, 0o755)
  assert.equal((await stat(join(data, 'images', name))).mode & 0o777, 0o700)
  const { os, agent, devices, firmware, memoryMiB } = await readVmImage(join(data, 'images', name))
  assert.deepEqual(
    [os, agent, devices, firmware, memoryMiB],
    ['other', 'qemu-guest-agent', 'plain', 'uefi', 512],
  )
  const listed = await run(folder, data, 'list')
  assert.match(
    listed.printed,
    /^my-disk {2}other {2}uefi {2}agent qemu-guest-agent {2}plain devices {2}disk 32 MiB/,
  )
  assert.equal((await run(folder, data, 'remove', 'my-disk')).code, 0)
  assert.ok(!existsSync(join(data, 'images', name)))
})

test('what is wrong with a command is said in a sentence', async () => {
  const folder = await temporaryFolder()
  const refused: readonly (readonly [args: string[], RegExp])[] = [
    [['build'], /^There is no command "build"; use help, list, remove, add, windows\./],
    [['add', 'one'], /^add needs NAME and DISK, and nothing else\./],
    [['add', 'one', 'disk', '--os', 'plan9'], /^--os must be linux, windows, other; it is "plan9"\./],
    [['add', 'one', 'disk', '--firmware', 'kernel'], /^--firmware must be bios, uefi, uefi-secure/],
    [['add', 'one', 'disk', '--memory', '1.5'], /^--memory must be a whole number of at least 64/],
    [['add', 'one', 'disk', '--format', 'auto'], /^--format must be raw, qcow2, vmdk, vdi, vhdx/],
    [['add', 'one', 'disk', '--size', '1'], /^Unknown option '--size'/],
    [['add', 'one', 'disk'], /^There is no file .*\/disk\. Check the path\./],
    [['windows', '--iso', 'a.iso'], /^windows needs --virtio with an \.iso file\./],
    [['windows', '--iso', 'a', '--virtio', 'b', '--user', 'Administrator'], /^--user must be a name/],
    [['windows', '--iso', 'a', '--virtio', 'b', '--locale', '<x>'], /^--locale must be a language/],
    [['windows', '--iso', 'a', '--virtio', 'b', '--product-key', '1'], /^--product-key must be five groups/],
    [['remove', 'one'], /^There is no image one\./],
  ]
  for (const [args, message] of refused) {
    const { code, printed } = await run(folder, join(folder, 'data'), ...args)
    assert.equal(code, 1, args.join(' '))
    assert.match(printed, message)
    assert.doesNotMatch(printed, /\n {4}at /, 'no stack')
  }
  const { code, printed } = await run(folder, join(folder, 'data'))
  assert.deepEqual([code, /^npm run vm-image -- list/.test(printed)], [0, true])
})

/** The processes that a process has started, and those that these have started. */
async function descendantsOf(pid: number): Promise<number[]> {
  const ids = (await readdir('/proc')).filter(name => /^\d+$/.test(name)).map(Number)
  const parents = new Map<number, number>()
  for (const id of ids) {
    const about = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '')
    parents.set(id, Number(about.slice(about.lastIndexOf(')')).split(' ')[2]))
  }
  const isBelow = (id: number | undefined): boolean =>
    id !== undefined && id > 1 && (id === pid || isBelow(parents.get(id)))
  return ids.filter(id => id !== pid && isBelow(parents.get(id)))
}

const nameOf = (pid: number) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')

/** Starts an installation that never ends, and returns when the machine and its TPM run. */
async function startInstallation(folder: string, data: string) {
  await standInWindows(folder, [])
  await standInVirtio(folder)
  const options = [
    '--iso',
    'windows.iso',
    '--virtio',
    'virtio.iso',
    '--memory',
    '2048',
    '--accelerator',
    'tcg',
  ]
  const child = start(folder, data, ['windows', ...options])
  const ended = outcome(child)
  let processes: number[] = []
  await waitFor(async () => {
    assert.equal(child.exitCode, null, child.exitCode === null ? '' : (await ended).printed)
    processes = await descendantsOf(child.pid ?? 0)
    const names = (await Promise.all(processes.map(nameOf))).join('')
    return names.includes('swtpm') && names.includes('qemu-system')
  })
  return { child, ended, processes }
}

test('an installation of Windows that is stopped or killed leaves no processes and no files', async () => {
  const folder = await temporaryFolder()
  // The command wants room for Windows, of which nothing is written.
  const disk = await smallDisk(40 * 1024)
  cleanup.defer(() => disk.dispose())
  const data = join(disk.folder, 'data')
  const images = async () => (await readdir(join(data, 'images'))).filter(name => !name.endsWith('.lock'))
  const areGone = async (processes: readonly number[]) =>
    (await Promise.all(processes.map(pid => stat(`/proc/${pid}`).catch(() => undefined)))).every(one => !one)

  const stopped = await startInstallation(folder, data)
  assert.deepEqual(await images(), ['vm-windows-11.part'])
  stopped.child.kill('SIGINT')
  const { code, printed } = await stopped.ended
  assert.deepEqual(
    [code, /Stopped\. Nothing was stored, and nothing was left behind\./.test(printed)],
    [1, true],
    printed,
  )
  await waitFor(() => areGone(stopped.processes))
  assert.deepEqual(await images(), [])

  const killed = await startInstallation(folder, data)
  killed.child.kill('SIGKILL')
  await waitFor(() => areGone(killed.processes))
  assert.deepEqual(await images(), ['vm-windows-11.part'], 'a killed process cannot remove its files')
  await makeDisk(join(folder, 'disk.img'))
  assert.equal((await run(folder, data, 'add', 'another', 'disk.img')).code, 0)
  assert.ok(!(await images()).includes('vm-windows-11.part'), 'the next command does')
})
