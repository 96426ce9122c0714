import assert from 'node:assert/strict'
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { MachineHandle } from '../../contract/handle.ts'
import { buildImage } from '../../images/build-image.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { debianPackages, installMissing } from '../local/host/debian-packages.ts'
import { addressOf } from '../local/network/addresses.ts'
import { runIn } from '../local/network/namespaces.ts'
import { routerPlace } from '../local/network/router.ts'
import { readRecord } from '../local/records.ts'
import { vmPackages } from './host/packages.ts'
import { storeVmImage } from './images/store-vm-image.ts'
import { QemuEngine } from './qemu-engine.ts'
import type { VmRecord } from './records.ts'
import { patientOptions, testImages, vmSpec } from './test-engine.ts'

const init = `#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
while read -r module; do /bin/busybox insmod /modules/$module; done < /modules/order
/bin/busybox ip link set eth0 up
until /bin/busybox udhcpc -i eth0 -f -q -n -s /bound; do :; done
while :; do /bin/busybox arping -c 1 -w 5 -I eth0 198.19.255.254; /bin/busybox sleep 1; done
`
const bound = `#!/bin/busybox sh
[ "$1" != bound ] || /bin/busybox ip address add $ip/$mask dev eth0
`

/** An archive of programs, which replace those of the archive that it is appended to. */
function archiveOf(files: Readonly<Record<string, string>>): Buffer {
  const entries = [...Object.entries(files), ['TRAILER!!!', ''] as const]
  const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)])
  return Buffer.concat(
    entries.map(([name, content], number) => {
      const fields = [number + 1, 0o100755, 0, 0, 1, 0, content.length, 0, 0, 0, 0, name.length + 1, 0]
      const header = `070701${fields.map(field => field.toString(16).padStart(8, '0')).join('')}`
      return Buffer.concat([padded(Buffer.from(`${header}${name}\0`)), padded(Buffer.from(content))])
    }),
  )
}

/** A Linux that knows nothing of Sandglass, and asks for its address as any other does. */
describe('a system without an agent of ours', { timeout: 900_000 }, () => {
  let folder: string
  let engine: QemuEngine
  let handle: MachineHandle
  const spec = vmSpec({ image: 'asking', memoryMiB: 256, diskMiB: 128 })

  before(async () => {
    await installMissing([...debianPackages, ...vmPackages])
    folder = await mkdtemp(join(tmpdir(), 'sandglass-asking-'))
    const kernel = join(testImages, await buildImage('vm-kernel', { imagesDir: testImages }), 'boot/vm')
    const imagesDir = join(folder, 'images')
    await storeVmImage(imagesDir, 'asking', async part => {
      const initrd = await readFile(join(kernel, 'initrd'))
      await writeFile(join(part, 'initrd'), Buffer.concat([initrd, archiveOf({ init, bound })]))
      await writeFile(join(part, 'kernel'), await readFile(join(kernel, 'kernel')))
      await using disk = await open(join(part, 'disk.raw'), 'w')
      await disk.truncate(1024 * 1024)
      return { os: 'linux', firmware: 'kernel', agent: 'none', devices: 'virtio' }
    })
    engine = new QemuEngine({ dataDir: join(folder, 'data'), imagesDir, ...patientOptions })
    handle = await engine.create(spec)
  })
  after(async () => {
    await engine?.dismantle()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  it('gets the address of its machine, with which the router knows it', async () => {
    assert.equal((await engine.inspect(handle)).status, 'running')
    const record = await readRecord<VmRecord>(engine.settings, spec.id)
    const address = addressOf(record?.index ?? -1)
    await waitFor(async () => {
      const known = await runIn(routerPlace(engine.settings), 'ip', ['neighbor', 'show', 'to', address])
      return known.includes('lladdr 52:54:00:00:00:01')
    }, 300_000)
  })
})
