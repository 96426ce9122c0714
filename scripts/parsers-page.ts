import { parserTypes } from '@sandglass/parsers'
import { type CorpusCase, readCorpus } from '../packages/parsers/corpus/corpus.ts'

/** docs/parsers.md, generated from the parser types and the corpus. */
export function parsersPage(): string {
  const corpus = readCorpus()
  const rows = parserTypes.map(({ type, about }) => [`[\`${type}\`](#${anchor(type)})`, about])
  const sections = parserTypes.map(({ type, about }) => {
    const cases = corpus.filter(item => item.type === type)
    return `## ${type}\n\n${about}\n\n${cases.map(section).join('\n')}`
  })
  return `# Parsers

\`POST /api/computer-use/parse/{type}\` and \`POST /api/mobile-use/parse/{type}\` convert the text of a model into actions.
Every type works with both: the same text becomes \`mouse:*\` actions on a computer and \`touch:*\` actions on a phone, and
anything that this kind of machine cannot do is returned in \`unknown\`. Only labels, tags and fences are dropped from a
text: whatever is not an action is in \`thoughts\`, \`memory\` or \`unknown\`. Code is parsed and never executed. Parsing time is
linear in the length of the text.

Families that use coordinates in thousandths return fractions. Families that use pixels return \`px\` of the image that the
model saw; given \`screenWidth\`, \`screenHeight\`, \`imageWidth\` and \`imageHeight\`, these are converted to the right place on the
screen with the family's own rule for resizing images.

This page is generated from the conformance corpus in \`packages/parsers/corpus\`: ${corpus.length} texts, each with its expected result.

${table([['type', 'what it reads'], ...rows])}

${sections.join('\n')}`
}

/** A table with aligned columns, as the formatter expects. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const [head, ...body] = rows.map(
    row => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`,
  )
  return [head, `| ${widths.map(width => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n')
}

function anchor(type: string): string {
  return type.replaceAll('.', '')
}

function section({ name, space, text, screen, parsed }: CorpusCase): string {
  const { actions, ...rest } = parsed
  const lines = [
    ...actions.map(action => JSON.stringify(action)),
    ...(Object.keys(rest).length > 0 ? [JSON.stringify(rest)] : []),
  ]
  const sizes = screen === undefined ? '' : ` with \`${JSON.stringify(screen)}\``
  return `### ${name[0]?.toUpperCase()}${name.slice(1)}

On a ${space === 'computer' ? 'computer' : 'phone'}${sizes}:

${fenced(text, 'text')}

${fenced(lines.length > 0 ? lines.join('\n') : 'no action', '')}
`
}

/** A code fence that is longer than any in the text. */
function fenced(text: string, language: string): string {
  const fence = text.includes('```') ? '````' : '```'
  return `${fence}${language}\n${text}\n${fence}`
}
