import type { OptionDefinition } from './command-definition.ts'
import { UsageError } from './failures.ts'
import { parseDuration, parsePair, parseScreen } from './quantities.ts'

interface VolumeChoice {
  readonly name: string
  readonly path: string
  readonly readOnly: boolean
}

type EgressRule = { host: string; ports?: number[] } | { cidr: string; ports?: number[] }

export interface NewSandboxOptions {
  readonly shape?: string
  readonly image?: string
  readonly name?: string
  readonly label?: [string, string][]
  readonly env?: [string, string][]
  readonly life?: number
  readonly volume?: VolumeChoice[]
  readonly egress?: string[]
  readonly screen?: { readonly width: number; readonly height: number }
  readonly project?: string
  readonly wait: boolean
}

export const newSandboxOptions: readonly OptionDefinition[] = [
  {
    flags: '-s, --shape <name>',
    description: 'The kind of machine; see `sandglass shapes`.',
    completes: 'shapes',
  },
  {
    flags: '-i, --image <image>',
    description: 'Start with this image instead of a shape.',
    completes: 'images',
  },
  { flags: '-n, --name <name>', description: 'A name to find it by.' },
  { flags: '-l, --label <name=value>', description: 'A label.', isRepeatable: true, parse: parsePair },
  {
    flags: '-e, --env <name=value>',
    description: 'A variable for its programs.',
    isRepeatable: true,
    parse: parsePair,
  },
  {
    flags: '--life <time>',
    description: 'How long it lives, such as 90s, 10m or 2h; an hour unless given.',
    parse: parseDuration,
  },
  {
    flags: '-v, --volume <name:path[:ro]>',
    description: 'A volume, where it is, and whether it is read-only.',
    isRepeatable: true,
    parse: parseVolume,
    completes: 'volumes',
  },
  {
    flags: '--egress <destination>',
    description:
      'What it can reach: internet, none, or a host or network with ports such as example.com:443.',
    isRepeatable: true,
  },
  { flags: '--screen <size>', description: 'The size of its screen, such as 1280x720.', parse: parseScreen },
  { flags: '--project <id>', description: 'The project that it belongs to.' },
  { flags: '--no-wait', description: 'Do not wait until it runs, nor until its image is built.' },
]

function parseVolume(text: string): VolumeChoice {
  const [name, path, mode, ...rest] = text.split(':')
  if (!name || !path || rest.length > 0 || (mode !== undefined && mode !== 'ro' && mode !== 'rw'))
    throw new UsageError(
      `"${text}" is not a volume and its path.`,
      'Write it as name:/path or name:/path:ro.',
    )
  return { name, path, readOnly: mode === 'ro' }
}

/** What a sandbox can reach, in the form of the API. */
export function egressOf(destinations: readonly string[]): 'internet' | 'none' | EgressRule[] {
  const [only] = destinations
  if (destinations.length === 1 && (only === 'internet' || only === 'none')) return only
  return destinations.map(ruleOf)
}

function ruleOf(text: string): EgressRule {
  const [destination = '', list] = text.split(':')
  const ports = list === undefined ? {} : { ports: list.split(',').map(Number) }
  return /^[\d./]+$/.test(destination) ? { cidr: destination, ...ports } : { host: destination, ...ports }
}
