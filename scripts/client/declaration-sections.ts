import type { Declaration, Member } from './read-declarations.ts'
import { declarations, reachableFrom } from './read-sources.ts'

/** What a person begins with. */
const first = ['Sandbox', 'Phone', 'BaseSandbox']

/** Classes with their methods and examples, then the interfaces that these name. */
export function declarationSections(): string {
  const described = reachableFrom([...first, 'CallOptions', 'SandglassOptions']).filter(
    ({ name }) => !isError(name),
  )
  const classes = described.filter(({ kind, name }) => kind === 'class' && name !== 'Sandglass')
  const interfaces = described
    .filter(({ kind, members, parents }) => kind === 'interface' && members.length + parents.length > 0)
    .sort((a, b) => a.name.localeCompare(b.name))
  return `## Sandboxes and phones

${classes.map(classSection).join('\n')}
## Options and results

${interfaces.map(interfaceSection).join('\n')}`
}

/** The errors, with the statuses for which they are thrown. */
export function clientErrorRows(statuses: ReadonlyMap<string, readonly number[]>): readonly string[] {
  return [...declarations.values()]
    .filter(({ name }) => isError(name))
    .map(
      ({ name, comment }) =>
        `| \`${name}\` | ${comment?.text ?? ''} | ${statuses.get(name)?.join(', ') ?? ''} |`,
    )
}

function isError(name: string): boolean {
  const parents = declarations.get(name)?.parents ?? []
  return parents.some(parent => parent === 'SandglassError' || isError(parent))
}

function classSection(declaration: Declaration): string {
  const { name, parents, comment, members } = declaration
  const place = placeOf(name)
  const title = place === undefined ? name : `${name}: \`${place}\``
  const base = parents.find(parent => declarations.has(parent))
  const text = [comment?.text, base && `It has everything of \`${base}\`, too.`].filter(Boolean).join(' ')
  const examples = [comment?.example, ...members.map(member => member.comment?.example)].filter(
    example => example !== undefined,
  )
  const blocks = [
    text,
    tableOf(members.filter(isDescribed), name),
    examples.length > 0 && fenced(together(examples)),
  ]
  return `### ${title}\n\n${blocks.filter(Boolean).join('\n\n')}\n`
}

/** A form that only narrows a type is described where it is declared first. */
function isDescribed({ comment, signature }: Member): boolean {
  return comment !== undefined || !signature.includes('(')
}

function interfaceSection({ name, parents, comment, members }: Declaration): string {
  const base =
    parents.length > 0 && `Has the fields of ${parents.map(parent => `\`${parent}\``).join(' and ')}, too.`
  const text = [comment?.text, base].filter(Boolean).join(' ')
  return `### ${name}\n\n${[text, tableOf(members)].filter(Boolean).join('\n\n')}\n`
}

function tableOf(members: readonly Member[], owner = ''): string {
  if (members.length === 0) return ''
  const rows = members.map(member => {
    const signature = member.signature.replace(/^static /, `${owner}.`)
    const cells = [`\`${signature}\``, aboutOf(member)].map(cell => cell.replaceAll('|', '\\|'))
    return `| ${cells.join(' | ')} |`
  })
  return `| | |\n|---|---|\n${rows.join('\n')}`
}

/** What holds a part of a sandbox is described by the first sentence about that part. */
function aboutOf({ name, signature, comment }: Member): string {
  if (comment) return comment.text
  const type = signature.startsWith(`${name}: `) ? signature.slice(name.length + 2) : ''
  return declarations.get(type)?.comment?.text.replace(/\. .*$/, '.') ?? ''
}

/** Examples of one line stand together. */
function together(examples: readonly string[]): string {
  const isLong = (example = '') => example.includes('\n')
  return examples
    .map((example, i) => (isLong(example) || isLong(examples[i - 1]) ? `\n${example}` : example))
    .join('\n')
    .trim()
}

function fenced(code: string): string {
  return `\`\`\`js\n${code}\n\`\`\``
}

/** How a caller comes to an object of a class. */
function placeOf(name: string): string | undefined {
  if (first.includes(name)) return undefined
  for (const owner of first)
    for (const { name: member, signature } of declarations.get(owner)?.members ?? []) {
      const variable = owner === 'Phone' ? 'phone' : 'box'
      if (signature === `${member}: ${name}`) return `${variable}.${member}`
      if (signature.startsWith(`${member}(`) && new RegExp(`: (Promise<)?${name}>?$`).test(signature))
        return `${variable}.${member}()`
    }
  return undefined
}
