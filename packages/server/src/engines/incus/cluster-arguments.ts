import { isIP } from 'node:net'
import { parseArgs } from 'node:util'
import { type StorageDriver, type StorageWish, storageDrivers } from '@sandglass/machines/incus-setup'

export const clusterUsage = `npm run cluster -- init            makes this box the first member of a cluster
    --address IP[:PORT]            where other boxes reach this one; needed if it has several addresses
    --storage btrfs|zfs|dir        how disks are kept; the fastest that works if left out
    --source PATH                  an empty disk that is formatted, a folder on a btrfs, or a dataset of ZFS
    --size GIB                     the size of the pool, if it is in a file; half of what is free if left out
npm run cluster -- token NAME      makes a token with which another box joins as NAME
npm run cluster -- join TOKEN      makes this box a member; has --address, --source and --size too
npm run cluster -- push [IMAGE]    builds an image of machines on this box, and pushes it to the cluster; desktop if left out
npm run cluster -- status          shows the members, and what is wrong
npm run cluster -- drain NAME      moves machines away from a member, and gives it no others
npm run cluster -- return NAME     ends that
npm run cluster -- leave [NAME]    removes this box, or another, which must have no machines
    --force                        forgets a member that is gone for good, with all that it had
Each can be repeated, and continues where it was interrupted. See docs/cluster.md.`

export type ClusterArguments =
  | { readonly action: 'help' }
  | { readonly action: 'status' }
  | { readonly action: 'init'; readonly address: string | undefined; readonly storage: StorageWish }
  | {
      readonly action: 'join'
      readonly token: string
      readonly address: string | undefined
      readonly storage: StorageWish
    }
  | { readonly action: 'token' | 'drain' | 'return'; readonly name: string }
  | { readonly action: 'push'; readonly image: string }
  | { readonly action: 'leave'; readonly name: string | undefined; readonly isForced: boolean }

const text = { type: 'string' } as const
const places = { address: text, source: text, size: text }
const actions = {
  help: { operand: undefined, options: {} },
  init: { operand: undefined, options: { ...places, storage: text } },
  token: { operand: 'NAME', options: {} },
  join: { operand: 'TOKEN', options: places },
  push: { operand: '[NAME]', options: {} },
  status: { operand: undefined, options: {} },
  drain: { operand: 'NAME', options: {} },
  return: { operand: 'NAME', options: {} },
  leave: { operand: '[NAME]', options: { force: { type: 'boolean' } } },
} as const

/** An argument that cannot be used. The message ends with the usage. */
export class ClusterUsageError extends Error {
  constructor(problem: string) {
    super(`${problem}\n\n${clusterUsage}`)
  }
}

export function readClusterArguments(args: readonly string[]): ClusterArguments {
  if (args.length === 0 || args.includes('--help')) return { action: 'help' }
  const action = Object.keys(actions).find((name): name is keyof typeof actions => name === args[0])
  if (action === undefined)
    throw new ClusterUsageError(
      `There is no command ${JSON.stringify(args[0])}; use ${Object.keys(actions).join(', ')}.`,
    )
  const { given, operands } = parse(action, args.slice(1))
  const [operand = ''] = operands
  const address = given.get('address')
  switch (action) {
    case 'help':
    case 'status':
      return { action }
    case 'init':
      return { action, address: address && addressOf(address), storage: storageOf(given) }
    case 'join':
      return { action, token: operand, address: address && addressOf(address), storage: storageOf(given) }
    case 'push':
      return { action, image: operand ? nameOf(operand) : 'desktop' }
    case 'leave':
      return { action, name: operand ? nameOf(operand) : undefined, isForced: given.has('force') }
    default:
      return { action, name: nameOf(operand) }
  }
}

type Given = ReadonlyMap<string, string>

function parse(action: keyof typeof actions, args: string[]): { given: Given; operands: readonly string[] } {
  const { operand, options } = actions[action]
  const { values, positionals } = parsed(args, options)
  const isWrong =
    operand === '[NAME]' ? positionals.length > 1 : positionals.length !== (operand === undefined ? 0 : 1)
  if (isWrong)
    throw new ClusterUsageError(
      operand === undefined
        ? `${action} takes nothing but options.`
        : `${action} needs ${operand}, and nothing else.`,
    )
  const given = Object.entries(values).map(([name, value]) => [name, String(value)] as const)
  return { given: new Map(given), operands: positionals }
}

function parsed(args: string[], options: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new ClusterUsageError(error instanceof Error ? error.message : String(error))
  }
}

const defaultPort = 8443

/** Reads `IP` or `IP:PORT`. Names are refused, because members remember the address. */
function addressOf(value: string): string {
  const [, bracketed, plain, port = String(defaultPort)] =
    /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(value) ?? []
  const address = isIP(value) ? value : (bracketed ?? plain ?? '')
  const version = isIP(address)
  if (version === 0 || Number(port) < 1 || Number(port) > 65_535)
    throw new ClusterUsageError(
      `--address must be an IP address, or IP:PORT; it is ${JSON.stringify(value)}.`,
    )
  return version === 6 ? `[${address}]:${port}` : `${address}:${port}`
}

function storageOf(given: Given): StorageWish {
  return {
    driver: driverOf(given.get('storage')),
    source: given.get('source'),
    sizeGiB: sizeOf(given.get('size')),
  }
}

function driverOf(value: string | undefined): StorageDriver | undefined {
  const found = storageDrivers.find(driver => driver === value)
  if (value !== undefined && found === undefined)
    throw new ClusterUsageError(
      `--storage must be ${storageDrivers.join(', ')}; it is ${JSON.stringify(value)}.`,
    )
  return found
}

function sizeOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const size = Number(value)
  if (!Number.isInteger(size) || size < 5)
    throw new ClusterUsageError(
      `--size must be a whole number of GiB, at least 5; it is ${JSON.stringify(value)}.`,
    )
  return size
}

/** What Incus accepts as the name of a member. */
function nameOf(value: string): string {
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(value))
    throw new ClusterUsageError(
      `A member has a name of letters, digits and hyphens; this is ${JSON.stringify(value)}.`,
    )
  return value
}
