import type { OptionDefinition } from './command-definition.ts'
import type { Format } from './output.ts'

export interface GlobalOptions {
  readonly output?: Format
  readonly profile?: string
  readonly url?: string
  readonly org?: string
  readonly yes?: boolean
  readonly quiet?: boolean
}

/** Options of every command, before and after it. A command can have another option with the same letter. */
export const globalOptions: readonly OptionDefinition[] = [
  {
    flags: '-o, --output <format>',
    description: 'How results are printed.',
    choices: ['table', 'json', 'name'],
  },
  { flags: '--profile <name>', description: 'The profile of `sandglass login` to use (SANDGLASS_PROFILE).' },
  { flags: '--url <url>', description: 'The address of the service (SANDGLASS_URL).' },
  { flags: '--org <id>', description: 'The organization (SANDGLASS_ORG).' },
  { flags: '-y, --yes', description: 'Do not ask before something is deleted.' },
  { flags: '-q, --quiet', description: 'Print results and errors only.' },
]
