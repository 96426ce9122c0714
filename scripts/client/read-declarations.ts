/** What a doc comment says. */
export interface Comment {
  /** The text before the first tag, in one line. */
  readonly text: string
  readonly example: string | undefined
}

export interface Member {
  readonly name: string
  /** The declaration without its body. */
  readonly signature: string
  readonly comment: Comment | undefined
}

/** An exported class or interface of a source file. */
export interface Declaration {
  readonly kind: 'class' | 'interface'
  readonly name: string
  readonly parents: readonly string[]
  readonly comment: Comment | undefined
  readonly members: readonly Member[]
}

const header =
  /^export (?:abstract )?(class|interface) (\w+)(?:<.*?>)?(?: extends ([^{]+?))?(?: implements [^{]+)? \{/
const member =
  /^((?:(?:override|readonly|static|abstract|async|get|set|private|protected) )*)\*?(\w+)\??[(<:= ]/

/** What the pattern also finds: words before the name of a member that is private or computed. */
const notMembers = new Set([
  'constructor',
  'override',
  'readonly',
  'static',
  'abstract',
  'async',
  'get',
  'set',
])

/**
 * Reads the exported classes and interfaces of a source file with their public members. It relies on how the formatter lays out the
 * code, since the compiler offers no syntax tree.
 */
export function readDeclarations(source: string): readonly Declaration[] {
  const lines = source.split('\n')
  const found: Declaration[] = []
  lines.forEach((line, start) => {
    const [, kind, name = '', parents = ''] = header.exec(line) ?? []
    if (kind !== 'class' && kind !== 'interface') return
    const length = line.endsWith('}') ? 0 : lines.slice(start).indexOf('}')
    found.push({
      kind,
      name,
      parents: parents
        .split(/,(?![^<]*>)/)
        .map(parent => parent.trim())
        .filter(Boolean),
      comment: commentAbove(lines, start),
      members: membersOf(lines.slice(start + 1, start + length).map(inner => inner.replace(/^ {2}/, ''))),
    })
  })
  return found
}

function membersOf(lines: readonly string[]): readonly Member[] {
  const members: Member[] = []
  lines.forEach((line, start) => {
    const [, words = '', name = ''] = member.exec(line) ?? []
    if (name === '' || notMembers.has(name) || /private|protected|set /.test(words)) return
    // Only the first of several forms is described.
    if (members.some(other => other.name === name)) return
    members.push({ name, signature: signatureFrom(lines.slice(start)), comment: commentAbove(lines, start) })
  })
  return members
}

/** The lines up to the first at which all brackets are closed, without the body and without what only the class has to know. */
function signatureFrom(lines: readonly string[]): string {
  let text = ''
  for (const line of lines) {
    text = `${text} ${line.trim()}`.trim()
    const bare = text.replace(/ \{$/, '')
    if (isClosed(bare)) return tidy(bare)
  }
  throw new Error(`This declaration does not end: ${lines[0]}`)
}

function isClosed(text: string): boolean {
  const brackets = text.replaceAll('=>', '')
  const count = (characters: RegExp) => brackets.match(characters)?.length ?? 0
  return count(/[([{<]/g) === count(/[)\]}>]/g)
}

/** Shortens what the body needs and a caller does not. */
function tidy(signature: string): string {
  return signature
    .replaceAll(/\b(?:override|abstract|async|readonly) /g, '')
    .replace(/^\*/, '')
    .replace(/^get (\w+)\(\)/, '$1')
    .replaceAll(/\{ [^{}:]+ \}: (\w+) = \{\}/g, 'options?: $1')
    .replaceAll(/(\w+): ([^,()]+(?:\([^)]*\))?[^,()]*) = [^,)]+(?=[,)])/g, '$1?: $2')
    .replaceAll(/(\w+) = '[^']*'/g, '$1?: string')
    .replace(/, \)/, ')')
    .replace(/\( /, '(')
    .replace(/ = new (\w+)\(.*$/, ': $1')
    .replaceAll(/(\?: [^,()]+(?:\(\(.*\))?) \| undefined/g, '$1')
}

/** The doc comment that ends on the line above. */
function commentAbove(lines: readonly string[], below: number): Comment | undefined {
  if (!lines[below - 1]?.trimEnd().endsWith('*/')) return undefined
  let start = below - 1
  while (start >= 0 && !lines[start]?.startsWith('/**')) start--
  const inner = lines
    .slice(start, below)
    .map(line => line.replace(/^\s*(?:\/\*\*|\*(?!\/))? ?/, '').replace(/ ?\*\/$/, ''))
  const [before = '', example] = inner.join('\n').split(/^@example$/m)
  return {
    text: before
      .replace(/^@.*/ms, '')
      .replaceAll(/\{@link (\w+)\}/g, '`$1`')
      .replaceAll(/\s+/g, ' ')
      .trim(),
    example: example?.trim(),
  }
}
