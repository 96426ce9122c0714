import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import {
  type BroughtDisk,
  type DiskFormat,
  diskFormats,
  isDiskFormat,
  vmImageValues,
  type WindowsInstallation,
} from '@sandglass/machines/vm-images'

export const vmImageUsage = `npm run vm-image -- list             lists the images of virtual machines
npm run vm-image -- add NAME DISK    stores a copy of a disk as the image NAME
    --format ${diskFormats.join('|')}     the format of the disk; found by its first bytes if left out
    --os linux|windows|other            the system on it; linux if left out
    --firmware bios|uefi|uefi-secure    found by the partitions if left out
    --agent sandglass|qemu-guest-agent|none    what answers inside; none if left out
    --devices virtio|plain              virtio for Linux, plain for others if left out
    --memory MIB                        the least memory that it needs
npm run vm-image -- remove NAME      removes an image
npm run vm-image -- windows --iso WINDOWS.iso --virtio VIRTIO-WIN.iso    installs Windows as an image
    --name NAME                         windows-11 if left out
    --edition "Windows 11 Pro"          as the ISO names it
    --locale en-US                      the language of the ISO
    --product-key KEY                   needed unless the ISO is for evaluation or volume licenses
    --user user                         the user who is signed in
    --disk 64                           GiB of disk
    --memory 4096                       MiB of memory, also the least that machines need
    --minutes 180                       the longest that it may take
    --accelerator kvm|tcg               tcg emulates a processor, which takes many hours
The images are in the data directory (SANDGLASS_DATA). See docs/vms-images.md.`

export type VmImageArguments =
  | { readonly action: 'help' }
  | { readonly action: 'list' }
  | { readonly action: 'remove'; readonly name: string }
  | {
      readonly action: 'add'
      readonly name: string
      readonly disk: string
      readonly about: BroughtDisk
      readonly format: DiskFormat | undefined
    }
  | {
      readonly action: 'windows'
      readonly installation: WindowsInstallation
      readonly minutes: number
      readonly accelerator: 'kvm' | 'tcg'
    }

const text = { type: 'string' } as const
const windowsOptions = {
  iso: text,
  virtio: text,
  name: text,
  edition: text,
  locale: text,
  'product-key': text,
  user: text,
  disk: text,
  memory: text,
  minutes: text,
  accelerator: text,
}
const actions = {
  help: { operands: [], options: {} },
  list: { operands: [], options: {} },
  remove: { operands: ['NAME'], options: {} },
  add: {
    operands: ['NAME', 'DISK'],
    options: { format: text, os: text, firmware: text, agent: text, devices: text, memory: text },
  },
  windows: { operands: [], options: windowsOptions },
} as const

/** An argument that cannot be used. The message ends with the usage. */
export class UsageError extends Error {
  constructor(problem: string) {
    super(`${problem}\n\n${vmImageUsage}`)
  }
}

export function readVmImageArguments(args: readonly string[]): VmImageArguments {
  if (args.length === 0 || args.includes('--help')) return { action: 'help' }
  const action = Object.keys(actions).find((name): name is keyof typeof actions => name === args[0])
  if (action === undefined)
    throw new UsageError(
      `There is no command ${JSON.stringify(args[0])}; use ${Object.keys(actions).join(', ')}.`,
    )
  const { operands, options } = actions[action]
  const { values, positionals } = parse(args.slice(1), options)
  if (positionals.length !== operands.length)
    throw new UsageError(
      operands.length === 0
        ? `${action} takes nothing but options.`
        : `${action} needs ${operands.join(' and ')}, and nothing else.`,
    )
  const [name = '', disk = ''] = positionals
  if (action === 'remove') return { action, name }
  const given = new Map(Object.entries(values))
  if (action === 'windows') return aboutWindows(given)
  if (action !== 'add') return { action }
  return { action, name, disk: pathOf(disk), about: aboutDisk(given), format: formatOf(given.get('format')) }
}

/** What Windows accepts without quotes, except for the names of accounts that it has already. */
const userName = /^(?!(?:administrator|guest|defaultaccount|system)$)[a-z0-9][a-z0-9.-]{0,18}[a-z0-9]?$/i

type Given = ReadonlyMap<string, string | undefined>

function aboutDisk(given: Given): BroughtDisk {
  const os = oneOf('os', given, vmImageValues.os) ?? 'linux'
  const firmware = oneOf('firmware', given, ['bios', 'uefi', 'uefi-secure'])
  const memoryMiB = countOf('memory', given, 64)
  return {
    os,
    agent: oneOf('agent', given, vmImageValues.agent) ?? 'none',
    devices: oneOf('devices', given, vmImageValues.devices) ?? (os === 'linux' ? 'virtio' : 'plain'),
    ...(firmware && { firmware }),
    ...(memoryMiB && { memoryMiB }),
  }
}

function aboutWindows(given: Given): VmImageArguments {
  const file = (name: string) => {
    const value = given.get(name)
    if (value === undefined) throw new UsageError(`windows needs --${name} with an .iso file.`)
    return pathOf(value)
  }
  const like = (name: string, fallback: string, pattern: RegExp, what: string) => {
    const value = given.get(name) ?? fallback
    if (!pattern.test(value))
      throw new UsageError(`--${name} must be ${what}; it is ${JSON.stringify(value)}.`)
    return value
  }
  const productKey = like('product-key', '', /^$|^([A-Za-z0-9]{5}-){4}[A-Za-z0-9]{5}$/, 'five groups of five')
  const installation = {
    name: given.get('name') ?? 'windows-11',
    iso: file('iso'),
    virtio: file('virtio'),
    edition: like('edition', 'Windows 11 Pro', /^[\x20-\x7e]{1,100}$/, 'the name of an edition'),
    locale: like(
      'locale',
      'en-US',
      /^[a-z]{2,3}(-[A-Za-z]{4})?-[A-Z]{2}$/,
      'a language and a country such as en-US',
    ),
    user: like('user', 'user', userName, 'a name of at most 20 letters, digits, dots and hyphens'),
    ...(productKey && { productKey: productKey.toUpperCase() }),
    diskMiB: (countOf('disk', given, 32) ?? 64) * 1024,
    memoryMiB: countOf('memory', given, 2048) ?? 4096,
  }
  const accelerator = oneOf('accelerator', given, ['kvm', 'tcg']) ?? 'kvm'
  return { action: 'windows', installation, minutes: countOf('minutes', given, 1) ?? 180, accelerator }
}

function parse(args: string[], options: Readonly<Record<string, typeof text>>) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause))
  }
}

function oneOf<T extends string>(name: string, given: Given, known: readonly T[]): T | undefined {
  const value = given.get(name)
  if (value === undefined) return undefined
  const found = known.find(one => one === value)
  if (found === undefined)
    throw new UsageError(`--${name} must be ${known.join(', ')}; it is ${JSON.stringify(value)}.`)
  return found
}

function formatOf(value: string | undefined): DiskFormat | undefined {
  if (value === undefined || isDiskFormat(value)) return value
  throw new UsageError(`--format must be ${diskFormats.join(', ')}; it is ${JSON.stringify(value)}.`)
}

function countOf(name: string, given: Given, min: number): number | undefined {
  const value = given.get(name)
  if (value === undefined) return undefined
  if (!/^\d{1,7}$/.test(value) || Number(value) < min)
    throw new UsageError(
      `--${name} must be a whole number of at least ${min}; it is ${JSON.stringify(value)}.`,
    )
  return Number(value)
}

/** npm runs scripts in the folder of the package, and says where the person was. */
const pathOf = (path: string) => resolve(process.env['INIT_CWD'] ?? '.', path)
