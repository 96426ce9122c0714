import { CommandFailed, runCommand } from '../../local/host/run-command.ts'
import { confinedCommand, type Place } from './confined-root.ts'
import type { DiskFormat } from './disk-format.ts'

export interface DiskFile {
  readonly path: string
  readonly format: DiskFormat
}

export interface QemuImgOptions {
  readonly signal?: AbortSignal | undefined
}

/** Runs qemu-img where it sees nothing but the given files, without network, and returns its output. */
async function qemuImg(
  args: readonly string[],
  places: readonly Place[],
  o: QemuImgOptions & { readonly onLine?: (line: string) => void },
): Promise<string> {
  const [command, ...rest] = confinedCommand({ places, readsAnyOwner: true }, ['qemu-img', ...args])
  try {
    return await runCommand(command, rest, {
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
      ...(o.signal && { signal: o.signal }),
      ...(o.onLine && { onLine: o.onLine }),
    })
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    throw new Error(explain(error.output), { cause: error })
  }
}

const source = (disk: DiskFile): Place => ({ path: disk.path, at: '/source' })

export interface DiskInfo {
  /** How large the disk is for a machine. */
  readonly bytes: number
  readonly refersTo: string | undefined
  readonly isEncrypted: boolean
}

export async function readDiskInfo(disk: DiskFile, o: QemuImgOptions = {}): Promise<DiskInfo> {
  const printed = await qemuImg(['info', '--output=json', '-f', disk.format, '/source'], [source(disk)], o)
  const info = entriesOf(JSON.parse(printed))
  const specific = entriesOf(entriesOf(info.get('format-specific')).get('data'))
  const refersTo = info.get('backing-filename') ?? specific.get('data-file')
  return {
    bytes: Number(info.get('virtual-size')),
    refersTo: refersTo === undefined ? undefined : String(refersTo),
    isEncrypted: info.get('encrypted') === true,
  }
}

/** How many bytes of a disk are not empty, with a little more for the tables of qcow2, for which qemu-img computes this. */
export async function measureDisk(disk: DiskFile, o: QemuImgOptions = {}): Promise<number> {
  const args = ['measure', '--output=json', '-f', disk.format, '-O', 'qcow2', '/source']
  const measured = entriesOf(JSON.parse(await qemuImg(args, [source(disk)], o)))
  return Number(measured.get('required'))
}

/** Copies a disk to an empty raw file of the right size, which stays sparse. */
export async function copyToRaw(
  disk: DiskFile,
  target: string,
  o: QemuImgOptions & { readonly onPercent?: (percent: number) => void } = {},
): Promise<void> {
  const args = [
    'convert',
    '-p',
    '-n',
    '--target-is-zero',
    '-f',
    disk.format,
    '-O',
    'raw',
    '/source',
    '/target',
  ]
  const onLine = (line: string) => {
    for (const [, percent] of line.matchAll(/\((\d+(?:\.\d+)?)\/100%\)/g)) o.onPercent?.(Number(percent))
  }
  await qemuImg(args, [source(disk), { path: target, at: '/target', writable: true }], { ...o, onLine })
}

export interface Extent {
  readonly start: number
  readonly length: number
}

/** The parts of a raw disk that are not holes. */
export async function mapRaw(path: string, o: QemuImgOptions = {}): Promise<Extent[]> {
  const args = ['map', '--output=json', '-f', 'raw', '/source']
  const read: unknown = JSON.parse(await qemuImg(args, [source({ path, format: 'raw' })], o))
  return (Array.isArray(read) ? read : [])
    .map(entriesOf)
    .filter(extent => extent.get('data') === true)
    .map(extent => ({ start: Number(extent.get('start')), length: Number(extent.get('length')) }))
}

const entriesOf = (value: unknown): Map<string, unknown> => new Map(Object.entries(value ?? {}))

/** What qemu-img says, without the paths that only it sees. */
function explain(output: string): string {
  const text = output
    .trim()
    .replaceAll(/^qemu-img: /gm, '')
    .replaceAll("'/source'", 'it')
    .replaceAll('/source', 'it')
  if (/lock/i.test(text))
    return `A running machine uses the disk. Shut the machine down, and try again. (qemu-img: ${text})`
  if (/No space left/i.test(text)) return 'The disk of this host is full. Free some space, and try again.'
  return `qemu-img cannot read it: ${text.slice(-1000)}`
}
