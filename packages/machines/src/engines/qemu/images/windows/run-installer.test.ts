import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { waitFor } from '../../../../testing/index.ts'
import { runCommand } from '../../../local/host/run-command.ts'
import { addFirmware, makeSparse } from '../add-disk.ts'
import { diskFolder, MiB } from '../test-disks.ts'
import { writeAnswerMedia } from './answer-media.ts'
import { workPlace } from './installer-machine.ts'
import { Installer } from './run-installer.ts'
import { installTestPackages, standInEdition, standInVirtio, standInWindows } from './test-media.ts'

before(installTestPackages)

test('the machine for Windows has secure boot, a TPM, a disk, three CDs, and no network', async () => {
  await using folder = await diskFolder()
  const [windows, virtio] = [await standInWindows(folder.path, []), await standInVirtio(folder.path)]
  const work = join(folder.path, 'work')
  await mkdir(join(work, 'installer'), { recursive: true })
  await makeSparse(join(work, 'disk.raw'), 64 * MiB)
  await addFirmware(work, 'uefi-secure')
  const answers = { edition: standInEdition, locale: 'en-US', user: 'user' }
  await writeAnswerMedia(join(work, 'installer/answers.iso'), answers)
  await runCommand('chown', ['-R', '65534:65534', work])
  const machine = { firmware: 'uefi-secure', accelerator: 'tcg', memoryMiB: 256, processors: 2 } as const
  const installer = await Installer.start(machine, { folder: work, windows, virtio })
  try {
    const ask = async (command: string, args = {}) =>
      JSON.stringify(await installer.qmp.execute(command, args))
    assert.match(await ask('query-tpm'), /"model":"tpm-crb".*"type":"emulator"/)
    const blocks = await ask('query-block')
    for (const [device, file] of [
      ['disk0/virtio-backend', `${workPlace}/disk.raw`],
      ['cd-windows', '/dev/fdset/1'],
      ['cd-virtio', '/dev/fdset/2'],
      ['cd-answers', `${workPlace}/installer/answers.iso`],
    ])
      assert.ok(blocks.includes(`${device}"`) && blocks.includes(`"filename":"${file}"`), blocks)
    assert.match(blocks, /OVMF_CODE_4M\.ms\.fd/)
    assert.ok(blocks.includes(`"filename":"${workPlace}/vars.fd"`), blocks)
    const flash = { 'command-line': 'info qtree' }
    const devices = await ask('human-monitor-command', flash)
    assert.match(devices, /cfi\.pflash01[\s\S]*?secure = true/)
    assert.match(devices, /org\.qemu\.guest_agent\.0/)
    const network = await ask('human-monitor-command', { 'command-line': 'info network' })
    assert.doesNotMatch(network, /user|tap|socket|bridge/)
    assert.match(network, /virtio-net-pci/)
    // The TPM writes its state when the machine initializes it.
    await waitFor(() => existsSync(join(work, 'tpm/tpm2-00.permall')))
  } finally {
    await installer.stop()
  }
  assert.deepEqual(await installer.ended, { isShutDown: false, printed: (await installer.ended).printed })
  await assert.rejects(installer.qmp.execute('query-tpm'), /QEMU has ended/)
})

test('a machine that cannot be started says why, and leaves no TPM', async () => {
  await using folder = await diskFolder()
  const [windows, virtio] = [await standInWindows(folder.path, []), await standInVirtio(folder.path)]
  await mkdir(join(folder.path, 'work/installer'), { recursive: true })
  const machine = { firmware: 'uefi', accelerator: 'tcg', memoryMiB: 256, processors: 2 } as const
  await assert.rejects(
    Installer.start(machine, { folder: join(folder.path, 'work'), windows, virtio }),
    /The machine could not be started: .*(tpm|swtpm)/is,
  )
})
