import { open } from 'node:fs/promises'
import { runCommand } from '../../../local/host/run-command.ts'
import { confinedCommand } from '../confined-root.ts'
import { requiredFiles } from './drivers.ts'

/** The first volume descriptor of a CD. */
const descriptorAt = 0x8000

/** Throws unless a file is the image of a CD. */
export async function requireCd(path: string, option: string): Promise<void> {
  const file = await open(path)
  try {
    const start = Buffer.alloc(6)
    await file.read(start, 0, start.length, descriptorAt)
    const id = start.subarray(1).toString('latin1')
    if (id !== 'CD001' && id !== 'BEA01')
      throw new Error(
        `${path} is not the image of a CD. Give --${option} an .iso file; docs/vms-images.md says where to get it.`,
      )
  } finally {
    await file.close()
  }
}

/** Throws unless the CD of virtio-win has the drivers for an edition. Otherwise Windows Setup would find no disk. */
export async function requireDrivers(path: string, edition: string, signal?: AbortSignal): Promise<void> {
  const required = requiredFiles(edition).map(file => `/${file.replaceAll('\\', '/')}`)
  const list = ['xorriso', '-indev', 'stdio:/source', '-find', '/', '-type', 'f']
  const places = [{ path, at: '/source' }]
  const [command, ...args] = confinedCommand({ places, readsAnyOwner: true }, list)
  const printed = await runCommand(command, args, signal && { signal }).catch(cause => {
    signal?.throwIfAborted()
    throw new Error(`${path} cannot be read as a CD: ${cause.message}`, { cause })
  })
  const found = new Set(printed.split('\n').map(line => line.trim().replaceAll("'", '').toLowerCase()))
  const missing = required.filter(file => !found.has(file.toLowerCase()))
  if (missing.length > 0)
    throw new Error(
      `${path} has no ${missing.join(', ')}. Use a current virtio-win.iso, which has the drivers for ${edition}.`,
    )
}
