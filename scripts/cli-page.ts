import type { Command } from 'commander'
import type { CommandDefinition, Example } from '../packages/cli/src/command-definition.ts'
import { globalOptions } from '../packages/cli/src/global-options.ts'
import { createProgram, loadCommands } from '../packages/cli/src/program.ts'

const definitions = await loadCommands()
const program = createProgram(definitions, async () => {})

/** docs/cli.md, from the commands themselves. */
export function cliPage(): string {
  const shown = definitions.filter(({ isHidden }) => !isHidden)
  const sections = shown.map(definition => section(definition, find(program, definition.name), 'sandglass'))
  return `${introduction}
## Options of every command
${optionTable(program, isGlobal)}

${sections.join('\n')}`
}

const introduction = `# The command line

\`npx sandglass\`, or \`npm run sandglass --\` in a checkout, drives a service from a terminal or a script. In the folder
in which \`npm start\` ran it finds the service by itself; elsewhere, \`sandglass login\` stores which service to use.

| | |
|---|---|
| which service | The first of: \`--profile\` or \`SANDGLASS_PROFILE\`; \`SANDGLASS_API_KEY\` with \`SANDGLASS_URL\` and \`SANDGLASS_ORG\`; the profile of the last login; \`data/credentials.json\` of a local start. A stored key is sent only to the address that it was stored for. |
| profiles | \`$XDG_CONFIG_HOME/sandglass/profiles.json\` (or in \`~/.config\`), which only you can read. Keys are never options, because other users of a machine can see those. |
| sandboxes | Given by id, by the beginning of an id, or by name, if only one has it. |
| results | On standard output: a table for people, \`-o json\` for programs, \`-o name\` for the next command. Everything else is on standard error; \`--quiet\` leaves it out. |
| colours | On a terminal, unless \`NO_COLOR\` is set. |
| questions | Before something is deleted, on a terminal. Without one, \`--yes\` is needed. |
| Ctrl-C | What \`sandbox create\` and \`sandbox fork\` had begun is deleted, a build is cancelled, and half a file is removed. |
| exit codes | 0, 1 for a failure, 2 for a wrong command line, 130 after Ctrl-C; \`sandbox exec\` has that of its program. |
| completions | \`source <(sandglass completion bash)\`, and the same for zsh; \`sandglass completion fish > ~/.config/fish/completions/sandglass.fish\`. |
| debugging | \`SANDGLASS_DEBUG=1\` adds the stack to an error. |
`

const globalNames = program.options
  .filter(({ flags }) => globalOptions.some(one => one.flags === flags))
  .map(({ long }) => long)
const isGlobal = (long: string | undefined) => globalNames.includes(long)

function find(parent: Command, name: string): Command {
  const found = parent.commands.find(command => command.name() === name)
  if (!found) throw new Error(`there is no command ${name}`)
  return found
}

function section(definition: CommandDefinition, command: Command, before: string): string {
  const path = `${before} ${command.name()}`
  const parts = (definition.commands ?? []).map(part => section(part, find(command, part.name), path))
  const own = definition.run ? [usageOf(command, before), optionTable(command, long => !isGlobal(long))] : []
  return [
    `${before === 'sandglass' ? '##' : '###'} ${path}`,
    command.description(),
    ...own,
    examplesOf(definition.examples ?? []),
    ...parts,
  ]
    .filter(text => text !== '')
    .join('\n\n')
    .replace(/\n*$/, '\n')
}

function usageOf(command: Command, before: string): string {
  const lines = command.registeredArguments.map(argument => `- \`${argument.name()}\`: ${sentence(argument)}`)
  return [`\`${before} ${command.name()} ${command.usage()}\``, lines.join('\n')]
    .filter(text => text !== '')
    .join('\n\n')
}

function optionTable(command: Command, isShown: (long: string | undefined) => boolean): string {
  const options = command.options.filter(({ long }) => isShown(long) && long !== '--version')
  if (options.length === 0) return ''
  const rows = options.map(option => `| \`${option.flags}\` | ${sentence(option)} |`)
  return `| option | meaning |\n|---|---|\n${rows.join('\n')}`
}

function sentence({
  description,
  argChoices,
}: {
  description: string
  argChoices?: string[] | undefined
}): string {
  const choices = argChoices ? ` One of ${argChoices.map(choice => `\`${choice}\``).join(', ')}.` : ''
  return (description + choices).replaceAll('|', '\\|')
}

function examplesOf(examples: readonly Example[]): string {
  const lines = examples.map(({ command, explanation }) => `# ${explanation}\n${command}`)
  return lines.length === 0 ? '' : `\`\`\`sh\n${lines.join('\n')}\n\`\`\``
}
